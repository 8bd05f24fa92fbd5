import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/events.ts'],
  // CommonJS is for Jest, which cannot `require` ES modules.
  format: ['esm', 'cjs'],
  target: 'es2022',
  // Platform-independent: the client runs in Node, browsers, Deno, Bun and workers.
  platform: 'neutral',
  // The declarations use `Symbol.dispose`, which not every TypeScript `lib` contains.
  dts: { banner: '/// <reference lib="esnext.disposable" />' },
  clean: true,
})
