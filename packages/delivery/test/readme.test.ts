import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { createStatusError } from '../src/index.ts'

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')

describe('README', () => {
  it('contains the source of the example', async () => {
    expect(await read('../README.md')).toContain((await read('../../../examples/ntfy/ntfy.ts')).trim())
  })

  it('contains the conformance test of the example', async () => {
    const [test = ''] = (await read('../../../examples/ntfy/ntfy.test.ts')).split("\nit('exports")
    expect(await read('../README.md')).toContain(test.trim())
  })

  it('documents the mapping of createStatusError', async () => {
    const rows = [...(await read('../README.md')).matchAll(/^\| (\d[\d, ]+) \| `(\w+)` \| (yes|no) \|$/gm)]
    const documented = rows.flatMap(([, list = '', kind, retryable]) => list.split(', ').map((status) => [Number(status), kind, retryable]))
    const actual = documented.map(([status]) => {
      const response = { status: Number(status), headers: new Headers(), text: '', json: {}, retryAfterMs: undefined }
      const { kind, retryable } = createStatusError(response, 'x')
      return [status, kind, retryable ? 'yes' : 'no']
    })
    expect(documented).toEqual(actual)
    expect(documented.length).toBeGreaterThan(20)
  })

  it('has no relative links', async () => {
    expect(await read('../README.md')).not.toMatch(/\]\(\.\.?\//)
  })
})
