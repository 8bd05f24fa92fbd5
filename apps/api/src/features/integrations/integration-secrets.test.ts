import { createSecretKey, randomBytes } from 'node:crypto'
import { defineProvider } from '@flowpost/delivery'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createEncryption } from '../../shared/encryption.ts'
import type { IntegrationWithSecrets } from './integration.queries.ts'
import { encryptSecrets, mergeIntegrationBody, type Secrets } from './integration-secrets.ts'

const encryption = createEncryption([{ id: 'k1', key: createSecretKey(randomBytes(32)) }])
const projectId = '01930000-0000-7000-8000-000000000001'

const providerWith = (secrets: z.ZodRawShape) =>
  defineProvider({
    id: 'pager',
    kind: 'chat',
    limits: {},
    parseTarget: (address) => ({ ok: true, target: address, key: address }),
    settings: z.strictObject({}),
    secrets: z.strictObject(secrets),
    secretDestination: {},
    compose: ({ target }) => ({ headers: [], raw: '', envelope: { to: target } }),
    send: async () => ({ providerMessageId: null, response: '' }),
    check: async () => [],
  })

const storedWith = (secrets: Secrets): IntegrationWithSecrets => ({
  id: projectId,
  project_id: projectId,
  source_type: 'pager',
  settings: {},
  secret_names: Object.keys(secrets),
  secrets: encryptSecrets(encryption, projectId, 'pager', secrets),
  inbound_rotated_at: null,
  previous_inbound_expires_at: null,
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:30:00.000Z',
})

const plain = providerWith({ user: z.string(), pin: z.string().optional() })

describe('merging the body of a PUT', () => {
  it('keeps omitted secrets, replaces given ones and removes those set to null', () => {
    const stored = storedWith({ user: 'a', pin: '1' })
    const merged = (secrets?: object) => mergeIntegrationBody(encryption, plain, stored, { settings: {}, ...(secrets ? { secrets } : {}) })
    expect(merged()).toEqual({ settings: {}, secrets: { user: 'a', pin: '1' }, errors: [] })
    expect(merged({ pin: '2' }).secrets).toEqual({ user: 'a', pin: '2' })
    expect(merged({ pin: null })).toEqual({ settings: {}, secrets: { user: 'a' }, errors: [] })
    expect(merged({ user: null }).errors).toMatchObject([{ pointer: '/secrets/user', code: 'required' }])
  })

  it('drops a stored secret that the provider does not declare, and accepts its removal by name', () => {
    const stored = storedWith({ user: 'a', legacy: 'x' })
    expect(mergeIntegrationBody(encryption, plain, stored, { settings: {} })).toEqual({ settings: {}, secrets: { user: 'a' }, errors: [] })
    expect(mergeIntegrationBody(encryption, plain, stored, { settings: {}, secrets: { legacy: null } }).errors).toEqual([])
    expect(mergeIntegrationBody(encryption, plain, stored, { settings: {}, secrets: { other: null } }).errors).toMatchObject([
      { pointer: '/secrets/other', code: 'unknown_field' },
    ])
  })

  it('does not reveal an invalid stored secret, even if the schema message contains it', () => {
    const echoing = z.string().refine(() => false, { error: (issue) => `Not valid: ${String(issue.input)}` })
    const nested = z.strictObject({ a: echoing })
    const provider = providerWith({ user: echoing, urls: nested })
    const stored = storedWith({ user: 'hidden-1', urls: { a: 'hidden-2' } })
    const { errors } = mergeIntegrationBody(encryption, provider, stored, { settings: {} })
    expect(errors.map(({ pointer }) => pointer)).toEqual(['/secrets/user', '/secrets/urls/a'])
    expect(JSON.stringify(errors)).not.toContain('hidden')
  })

  it('requires the body to replace or remove each secret that cannot be decrypted', () => {
    const other = createEncryption([{ id: 'k2', key: createSecretKey(randomBytes(32)) }])
    const stored = storedWith({ user: 'a', pin: '1' })
    expect(mergeIntegrationBody(other, plain, stored, { settings: {}, secrets: { user: 'b' } }).errors).toEqual([
      expect.objectContaining({ pointer: '/secrets/pin', code: 'required' }),
    ])
    expect(mergeIntegrationBody(other, plain, stored, { settings: {} }).errors).toHaveLength(2)
    expect(mergeIntegrationBody(other, plain, stored, { settings: {}, secrets: { user: 'b', pin: null } })).toEqual({
      settings: {},
      secrets: { user: 'b' },
      errors: [],
    })
  })
})
