import { defineConfig, type Options } from 'tsup'

const entries = [
  'src/index.ts',
  'src/matchers.ts',
  'src/jest.ts',
  'src/msw.ts',
  'src/server.ts',
  'src/conformance/index.ts',
  'src/conformance/model/index.ts',
]

const shared: Options = {
  target: 'node20',
  // Most entries do not depend on a platform. Only the server and the commands need Node.js.
  platform: 'neutral',
  external: [/^node:/],
  // Bundles the code and types of unpublished packages, and of ts-rest, on which the contract depends.
  noExternal: ['@flowpost/domain', /^@flowpost\/contract/, '@ts-rest/core'],
  splitting: true,
  dts: {
    compilerOptions: {
      paths: {
        '@flowpost/domain': ['../domain/src/index.ts'],
        '@flowpost/contract': ['../contract/src/index.ts'],
        '@flowpost/contract/rules': ['../contract/src/rules/index.ts'],
      },
    },
  },
}

// The two builds run at the same time, so each of them removes only its own files.
export default defineConfig([
  {
    ...shared,
    entry: [...entries, 'src/vitest.ts', 'src/cli/conformance.ts', 'src/cli/mock-server.ts'],
    format: 'esm',
    clean: ['!**/*.cjs', '!**/*.d.cts'],
  },
  // Jest cannot load ES modules with `require`, so it needs this CommonJS build. The build omits the Vitest entry, because
  // Vitest cannot be loaded with `require`.
  { ...shared, entry: entries, format: 'cjs', clean: ['!**/*.js', '!**/*.d.ts'] },
])
