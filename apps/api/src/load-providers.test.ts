import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadProviders, ProviderFileError } from './load-providers.ts'

const provider = (id: string) => `{ id: '${id}', parseTarget() {}, compose() {}, send() {}, check() {} }`

describe('the files of providers', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flowpost-load-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const file = async (name: string, code: string): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, code)
    return path
  }

  it('bring every provider that they export by whatever name, once, and nothing else', async () => {
    const path = await file(
      'many.mjs',
      `export const a = ${provider('a')}\nexport default a\nexport const b = ${provider('b')}\nexport const c = 1`,
    )
    expect((await loadProviders([path], [])).map(({ id }) => id).sort()).toEqual(['a', 'b'])
  })

  it('are both named where they bring the same id', async () => {
    const first = await file('first.mjs', `export const push = ${provider('push')}`)
    const second = await file('second.mjs', `export const push = ${provider('push')}`)
    const loading = loadProviders([first, second], [])
    await expect(loading).rejects.toThrow(ProviderFileError)
    await expect(loading).rejects.toThrow(
      `FLOWPOST_PROVIDERS: ${second} exports a provider with the id push, which is taken by one of ${first}. Choose another id.`,
    )
  })
})
