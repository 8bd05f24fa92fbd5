import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtInSourceTypes } from '@flowpost/contract'
import { builtInProviders, createProviderClient, webhook } from '@flowpost/delivery'
import { builtInDescriptions } from '@flowpost/domain'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readConfig } from './config/config.ts'
import { deploymentProviders, egressPolicy, loadProviders, ProviderFileError } from './providers.ts'

describe('egressPolicy', () => {
  it.each([
    ['http://1.1.1.1/', 'https_required'],
    ['https://1.1.1.1:8443/', 'port_not_allowed'],
    ['http://169.254.169.254/', 'address_not_allowed'],
  ])("blocks %s for projects' credentials even when FLOWPOST_EGRESS_ALLOW lists networks", async (url, code) => {
    const { config } = readConfig({ FLOWPOST_EGRESS_ALLOW: '10.0.0.0/8, 169.254.0.0/16' })
    const client = createProviderClient({ timeoutMs: 1_000, egress: egressPolicy(config) })
    onTestFinished(() => client.close())
    const credential = { settings: {}, secrets: { urls: { ops: url }, signing_secret: `whsec_${'A'.repeat(32)}` } }

    expect(await client.check({ provider: webhook, credential, target: 'ops' })).toMatchObject([{ ok: false, code }])
  })
})

describe('deploymentProviders', () => {
  it('returns the six built-in providers that the contract, the mock and the delivery package name', () => {
    const ids = (providers: readonly { readonly id: string }[]) => providers.map(({ id }) => id)
    expect(ids(deploymentProviders(readConfig({}).config))).toEqual(builtInSourceTypes)
    expect(ids(builtInProviders)).toEqual(builtInSourceTypes)
    expect(ids(builtInDescriptions)).toEqual(builtInSourceTypes)
  })
})

describe('loadProviders', () => {
  const provider = (id: string) => `{ id: '${id}', parseTarget() {}, compose() {}, send() {}, check() {} }`
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

  it('loads each exported provider once and ignores other exports', async () => {
    const path = await file(
      'many.mjs',
      `export const a = ${provider('a')}\nexport default a\nexport const b = ${provider('b')}\nexport const c = 1`,
    )
    expect((await loadProviders([path], [])).map(({ id }) => id).sort()).toEqual(['a', 'b'])
  })

  it('names both files when they export the same id', async () => {
    const first = await file('first.mjs', `export const push = ${provider('push')}`)
    const second = await file('second.mjs', `export const push = ${provider('push')}`)
    const loading = loadProviders([first, second], [])
    await expect(loading).rejects.toThrow(ProviderFileError)
    await expect(loading).rejects.toThrow(
      `FLOWPOST_PROVIDERS: ${second} exports a provider with the id push, which is already used by ${first}. Choose another id.`,
    )
  })

  it('names the file of a provider that was not created with defineProvider and has an invalid id', async () => {
    const path = await file('invalid-id.mjs', `export const sms = ${provider('SMS gateway')}`)
    const loading = loadProviders([path], [])
    await expect(loading).rejects.toThrow(ProviderFileError)
    await expect(loading).rejects.toThrow(`FLOWPOST_PROVIDERS: ${path} exports a provider with the id "SMS gateway", which does not match`)
  })
})
