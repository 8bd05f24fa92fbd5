import { expect, it } from 'vitest'
import { toLocalConfig } from './local-config.ts'

it.each([
  [{ PASSWORD: 'x' }, []],
  [{ PASSWORD: '' }, ['smtp']],
  [{}, ['smtp']],
])('with the variables %j omits the integrations %j', (env, omitted) => {
  const settings = { host: 'mail.example.com', from: 'ops@example.com' }
  const integrations = { smtp: { settings, secrets: { password: { env: 'PASSWORD' } } } }
  const local = toLocalConfig({ project: { key: 'billing', name: 'Billing' }, flows: {}, integrations }, env)
  expect(local.omitted).toEqual(omitted)
  expect(Object.keys(local.config.integrations ?? {})).toEqual(omitted.length > 0 ? [] : ['smtp'])
})
