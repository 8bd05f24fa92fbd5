import { expect, it, onTestFinished } from 'vitest'
import { createMessage, createSampleProvider, sampleCredential } from '../../test/fixtures.ts'
import { DeliveryError } from '../delivery-error.ts'
import { createProviderClient } from './provider-client.ts'

/** Delivers a message through a provider that throws after it has started to send, and returns the error. */
const failWith = async (thrown: unknown): Promise<unknown> => {
  const client = createProviderClient()
  onTestFinished(() => client.close())
  const provider = createSampleProvider(async ({ markSendStarted }) => {
    markSendStarted()
    throw thrown
  })
  return client.deliver({ provider, credential: sampleCredential, message: createMessage({ target: 'room-1' }) }).catch((error) => error)
}

/** Creates an error with fields from JSON, whose types may be wrong. */
const createError = (fields: object): DeliveryError =>
  new DeliveryError({ kind: 'ambiguous', code: 'lost', detail: 'The response was lost.', ...fields })

it.each([
  ['a number as its code', { code: 50_035 }, { code: 'unrecognized' }],
  ['no code', { code: undefined }, { code: 'unrecognized' }],
  ['an object as its response', { providerResponse: { token: 'hush-hush' } }, { providerResponse: '{"token":"[redacted]"}' }],
  ['null as its response', { providerResponse: null }, { providerResponse: undefined }],
  ['a text as its delay', { retryAfterMs: 'soon' }, { retryAfterMs: undefined }],
  ['a text as its `retryable`', { retryable: 'false' }, { retryable: true }],
  ['an unknown kind', { kind: 'temporary' }, {}],
])('an error with %s is still an ambiguous DeliveryError', async (_, fields, expected) => {
  const error = await failWith(createError(fields))
  expect(error).toBeInstanceOf(DeliveryError)
  expect(error).toMatchObject({ kind: 'ambiguous', ...expected })
})

it('an error with an unknown kind is a provider error if the send had not started', async () => {
  const client = createProviderClient()
  onTestFinished(() => client.close())
  const provider = createSampleProvider(() => Promise.reject(createError({ kind: 'temporary' })))
  const message = createMessage({ target: 'room-1' })
  await expect(client.deliver({ provider, credential: sampleCredential, message })).rejects.toMatchObject({ kind: 'provider' })
})

const circular: Record<string, unknown> = {}
circular['self'] = circular

it.each([
  ['an object without a prototype', Object.create(null), '{}'],
  ['an object that refers to itself', circular, 'The value cannot be converted to text.'],
  ['nothing', undefined, 'undefined'],
])('%s, if it is thrown, becomes an ambiguous DeliveryError', async (_, thrown, providerResponse) => {
  const error = await failWith(thrown)
  expect(error).toBeInstanceOf(DeliveryError)
  expect(error).toMatchObject({ kind: 'ambiguous', code: 'provider_fault', providerResponse })
})
