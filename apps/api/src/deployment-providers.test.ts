import { builtInSourceTypes } from '@flowpost/contract'
import { builtInProviders, createProviderClient, webhook } from '@flowpost/delivery'
import { builtInDescriptions } from '@flowpost/domain'
import { expect, it, onTestFinished } from 'vitest'
import { readConfig } from './config/config.ts'
import { deploymentProviders, egressPolicy } from './deployment-providers.ts'

it.each([
  ['http://1.1.1.1/', 'https_required'],
  ['https://1.1.1.1:8443/', 'port_not_allowed'],
  ['http://169.254.169.254/', 'address_not_allowed'],
])('lets no tenant reach %s because other networks are listed', async (url, code) => {
  const { config } = readConfig({ FLOWPOST_EGRESS_ALLOW: '10.0.0.0/8, 169.254.0.0/16' })
  const providerClient = createProviderClient({ timeoutMs: 1_000, egress: egressPolicy(config) })
  onTestFinished(() => providerClient.close())
  const credential = { settings: {}, secrets: { urls: { ops: url }, signing_secret: `whsec_${'A'.repeat(32)}` } }

  expect(await providerClient.check({ provider: webhook, credential, target: 'ops' })).toMatchObject([{ ok: false, code }])
})

it('serves the same six built-in providers that the contract, the mock and the delivery package name', () => {
  const ids = (providers: readonly { readonly id: string }[]) => providers.map(({ id }) => id)
  expect(ids(deploymentProviders(readConfig({}).config))).toEqual(builtInSourceTypes)
  expect(ids(builtInProviders)).toEqual(builtInSourceTypes)
  expect(ids(builtInDescriptions)).toEqual(builtInSourceTypes)
})
