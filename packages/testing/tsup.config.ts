import { defineConfig } from 'tsup'

export default defineConfig({
  entry: [
    'src/index.ts',
    'src/matchers.ts',
    'src/vitest.ts',
    'src/jest.ts',
    'src/msw.ts',
    'src/server.ts',
    'src/conformance/index.ts',
    'src/conformance/model/index.ts',
    'src/cli/conformance.ts',
    'src/cli/mock-server.ts',
  ],
  format: 'esm',
  target: 'node20',
  // Platform-independent, except for the server and the commands.
  platform: 'neutral',
  external: [/^node:/],
  // Unpublished packages, so their code and types are bundled. The contract depends on ts-rest.
  noExternal: ['@flowpost/domain', /^@flowpost\/contract/, '@ts-rest/core'],
  dts: {
    compilerOptions: {
      paths: {
        '@flowpost/domain': ['../domain/src/index.ts'],
        '@flowpost/contract': ['../contract/src/index.ts'],
        '@flowpost/contract/rules': ['../contract/src/rules/index.ts'],
      },
    },
  },
  clean: true,
})
