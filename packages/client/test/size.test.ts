import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const limitBytes = 6_144

describe('the whole package, as a browser would load it', () => {
  it(`is at most ${limitBytes} bytes, minified and compressed, and needs nothing else`, async () => {
    const { outputFiles, metafile } = await build({
      entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      platform: 'browser',
      write: false,
      metafile: true,
    })
    const code = outputFiles[0]?.contents ?? new Uint8Array()
    const bytes = gzipSync(code, { level: 9 }).length
    expect(bytes, `${code.length} bytes minified, ${bytes} compressed`).toBeLessThanOrEqual(limitBytes)
    const [output] = Object.values(metafile.outputs)
    expect(output?.imports).toEqual([])
    // The whole of it: a method that was shaken away would not be counted.
    expect(output?.exports.sort()).toEqual(['FlowpostError', 'createFlowpost', 'explain', 'isFlowpostError'])
  })
})
