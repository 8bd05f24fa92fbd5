import { z } from 'zod'
import {
  type Credential,
  createProviderClient,
  DeliveryError,
  defineProvider,
  type OutgoingMessage,
  type Provider,
  type SendContext,
  type SendResult,
} from '../src/index.ts'

/** Creates a message with default values. */
export function createMessage(overrides: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return {
    deliveryId: 'dlv_01h455vb4pex5vsknk084sn02q',
    attemptNumber: 1,
    createdAt: new Date('2026-01-02T03:04:05.678Z'),
    target: 'ada@example.com',
    content: { subject: 'Greetings', text: 'Hello' },
    ...overrides,
  }
}

/** The outcome of a delivery: the result or the error. */
export type Outcome =
  | { readonly result: SendResult; readonly error?: undefined }
  | { readonly error: DeliveryError; readonly result?: undefined }

/** Delivers one message through a new provider client, and closes the client. */
export async function deliverOnce(
  provider: Provider,
  credential: Credential,
  message: OutgoingMessage,
  timeoutMs = 5000,
): Promise<Outcome> {
  const client = createProviderClient({ timeoutMs })
  try {
    return { result: await client.deliver({ provider, credential, message }) }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return { error }
  } finally {
    await client.close()
  }
}

type SampleSettings = { room: string }
type SampleSecrets = { token: string }
type SampleSend = (context: SendContext<SampleSettings, SampleSecrets, unknown>) => Promise<SendResult>

const acceptMessage: SampleSend = async () => ({ providerMessageId: 'm1', response: 'ok' })

/** Creates a minimal provider, by default one that accepts every message. */
export function createSampleProvider(
  send: SampleSend = acceptMessage,
  overrides: Partial<Provider<SampleSettings, SampleSecrets, unknown>> = {},
): Provider {
  return defineProvider({
    id: 'sample',
    kind: 'chat',
    limits: { textCharacters: 10 },
    parseTarget: (address) =>
      address.startsWith('room-') ? { ok: true, target: address, key: address } : { ok: false, message: 'Rooms start with room-.' },
    settings: z.strictObject({ room: z.string() }),
    secrets: z.strictObject({ token: z.string() }),
    compose: ({ content, target }, { room }) => ({
      headers: [['Room', room]],
      text: content.text,
      raw: content.text,
      envelope: { to: target },
    }),
    send,
    check: async () => [{ name: 'authenticate', ok: true, code: 'ok', detail: 'fine' }],
    ...overrides,
  })
}

/** A credential for the sample provider. */
export const sampleCredential = { settings: { room: 'attic' }, secrets: { token: 'hush-hush' } }
