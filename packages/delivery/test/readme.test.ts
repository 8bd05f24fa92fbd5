import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')

it('the README shows the example as it is', async () => {
  expect(await read('../README.md')).toContain((await read('../../../examples/ntfy/ntfy.ts')).trim())
})
