import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { statusFailure } from '../src/index.ts'

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')

it('the README shows the example as it is', async () => {
  expect(await read('../README.md')).toContain((await read('../../../examples/ntfy/ntfy.ts')).trim())
})

it('the README shows the conformance test of the example as it is', async () => {
  const [test = ''] = (await read('../../../examples/ntfy/ntfy.test.ts')).split("\nit('is what")
  expect(await read('../README.md')).toContain(test.trim())
})

it('the README says what statusFailure makes of a status', async () => {
  const rows = [...(await read('../README.md')).matchAll(/^\| (\d[\d, ]+) \| `(\w+)` \| (yes|no) \|$/gm)]
  const said = rows.flatMap(([, list = '', kind, retryable]) => list.split(', ').map((status) => [Number(status), kind, retryable]))
  const made = said.map(([status]) => {
    const answer = { status: Number(status), headers: new Headers(), text: '', json: {}, retryAfterMs: undefined }
    const { kind, retryable } = statusFailure(answer, 'x')
    return [status, kind, retryable ? 'yes' : 'no']
  })
  expect(said).toEqual(made)
  expect(said.length).toBeGreaterThan(20)
})

it('the README has no link that ends outside of the package', async () => {
  expect(await read('../README.md')).not.toMatch(/\]\(\.\.?\//)
})
