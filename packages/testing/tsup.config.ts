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
  // Nothing of any one platform, but for the server and the commands.
  platform: 'neutral',
  external: [/^node:/],
  // The domain package is not published: its code and its types are bundled.
  noExternal: ['@flowpost/domain'],
  dts: { compilerOptions: { paths: { '@flowpost/domain': ['../domain/src/index.ts'] } } },
  clean: true,
})
