import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/conformance.ts'],
  format: 'esm',
  target: 'node24',
  // The domain package is not published, so its code and types are bundled.
  noExternal: ['@flowpost/domain'],
  dts: { compilerOptions: { paths: { '@flowpost/domain': ['../domain/src/index.ts'] } } },
  clean: true,
})
