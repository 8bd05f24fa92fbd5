import { type Credential, createCourier, DeliveryError, type OutgoingMessage, type Provider, type SendResult } from '../src/index.ts'

/** A message with what a test does not care about filled in. */
export function outgoing(changes: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return {
    deliveryId: 'dlv_01h455vb4pex5vsknk084sn02q',
    attemptNumber: 1,
    createdAt: new Date('2026-01-02T03:04:05.678Z'),
    target: 'ada@example.com',
    content: { subject: 'Greetings', text: 'Hello' },
    ...changes,
  }
}

/** What came of one delivery: the result, or the error. */
export type Outcome =
  | { readonly result: SendResult; readonly error?: undefined }
  | { readonly error: DeliveryError; readonly result?: undefined }

/** Delivers one message with a courier of its own and closes it again. */
export async function deliverOnce(
  provider: Provider,
  credential: Credential,
  message: OutgoingMessage,
  timeoutMs = 5000,
): Promise<Outcome> {
  const courier = createCourier({ timeoutMs })
  try {
    return { result: await courier.deliver({ provider, credential, message }) }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return { error }
  } finally {
    await courier.close()
  }
}
