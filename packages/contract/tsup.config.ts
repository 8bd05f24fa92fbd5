import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/server/index.ts'],
  format: 'esm',
  target: 'node20',
  dts: true,
  clean: true,
})
