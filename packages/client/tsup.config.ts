import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts'],
  format: 'esm',
  target: 'es2022',
  // Nothing of any one platform: it runs in Node, browsers, Deno, Bun and workers.
  platform: 'neutral',
  // The declarations name `Symbol.dispose`, which not every `lib` has.
  dts: { banner: '/// <reference lib="esnext.disposable" />' },
  clean: true,
})
