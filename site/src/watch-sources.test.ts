import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchSources } from './watch-sources.ts'

const sources = ['SECURITY.md', 'docs/guides/backup.md', 'ops/ha/README.md']

let root: string
let stop: () => void
const onChange = vi.fn()

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'flowpost-site-'))
  for (const source of sources) {
    mkdirSync(join(root, dirname(source)), { recursive: true })
    writeFileSync(join(root, source), 'old')
  }
  stop = watchSources(root, sources, onChange)
})

afterEach(() => {
  stop()
  rmSync(root, { recursive: true })
  onChange.mockReset()
})

it.each([...sources, 'docs/guides/new.md'])('reports a change of %s', async (file) => {
  writeFileSync(join(root, file), 'new')
  await vi.waitFor(() => expect(onChange).toHaveBeenCalled())
})

it('reports the second change of a file that its editor replaces', async () => {
  for (const text of ['second', 'third']) {
    onChange.mockReset()
    writeFileSync(join(root, 'copy'), text)
    renameSync(join(root, 'copy'), join(root, 'SECURITY.md'))
    await vi.waitFor(() => expect(onChange).toHaveBeenCalled())
  }
})
