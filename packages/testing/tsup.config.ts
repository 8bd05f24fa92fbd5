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
  // Platform-independent, except for the server and the commands.
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
  // For Jest, which cannot `require` ES modules. Omits the Vitest entry, because Vitest itself cannot be required.
  { ...shared, entry: entries, format: 'cjs', clean: ['!**/*.js', '!**/*.d.ts'] },
])
