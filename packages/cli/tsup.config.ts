import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/flowpost.ts'],
  format: 'esm',
  target: 'node20',
  platform: 'node',
  // Each command is a separate chunk, so a process loads only the command that it runs.
  splitting: true,
  dts: { entry: 'src/index.ts' },
  clean: true,
})
