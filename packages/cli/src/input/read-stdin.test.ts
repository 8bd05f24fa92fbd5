import { expect, it } from 'vitest'
import { readStdin } from './read-stdin.ts'

async function* streamOf(...chunks: readonly (string | Uint8Array)[]) {
  yield* chunks
}

it('reads an input of 1 MiB', async () => {
  expect(await readStdin(streamOf('a'.repeat(1_048_575), 'b'))).toHaveLength(1_048_576)
})

it.each([
  ['one byte more than 1 MiB', 'a'.repeat(1_048_577)],
  ['more than 1 MiB, but fewer characters', '\u00e9'.repeat(524_289)],
])('rejects an input of %s', async (_, text) => {
  await expect(readStdin(streamOf(text))).rejects.toThrow('The standard input is larger than 1 MiB.')
})

it('reads a character whose bytes arrive separately', async () => {
  const bytes = new TextEncoder().encode('a\u00e9b')
  expect(await readStdin(streamOf(bytes.subarray(0, 2), bytes.subarray(2)))).toBe('a\u00e9b')
})
