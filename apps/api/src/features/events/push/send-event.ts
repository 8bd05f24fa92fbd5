import { DeliveryError, defineProvider, type ProviderClient, sendThroughEgress, signWebhook, z } from '@flowpost/delivery'
import type { Clock } from '../../../shared/clock.ts'
import { DecryptionError, type Encryption } from '../../../shared/encryption.ts'
import { toId, type Uuid } from '../../../shared/ids.ts'
import { decryptSecrets, signingSecrets, unreadableCode } from '../endpoint-secrets.ts'

/** The endpoint properties that {@link SendEvent} needs. */
export interface PushTarget {
  readonly id: Uuid
  readonly url: string
  readonly secrets: Uint8Array
}

/** An event to send, as JSON. */
export interface PushedJson {
  readonly id: Uuid
  readonly type: string
  readonly json: string
}

/** The result of one request to an endpoint. */
export interface PushResult {
  readonly startedAt: Date
  readonly durationMs: number
  /** The HTTP status; `null` if it is unknown, for example because there was no response. */
  readonly status: number | null
  /** The reason for a failure; `null` if the endpoint accepted the event. */
  readonly failure: DeliveryError | null
}

/** Sends one event to an endpoint, without retrying. Reports failures in the result. */
export type SendEvent = (target: PushTarget, event: PushedJson, signal?: AbortSignal) => Promise<PushResult>

/** The failure code of a request that was aborted because this process is stopping. */
export const abortedCode = 'aborted'

/**
 * Defines event endpoints as a provider, so that the provider client can send requests to them. The client enforces the
 * timeout and the tenant egress policy, and does not follow redirects.
 */
const eventProvider = defineProvider({
  id: 'event-endpoint',
  kind: 'chat',
  parseTarget: (address: string) => ({ ok: true, target: address, key: address }),
  escape: (value: string) => value,
  limits: {},
  settings: z.strictObject({}),
  secrets: z.strictObject({ signing: z.array(z.string()) }),
  compose: (message) => ({ headers: [], raw: message.content.text, envelope: { to: message.target } }),
  check: async () => [],

  async send(context) {
    const { message, secrets, clock } = context
    const body = message.content.text
    const timestamp = Math.floor(clock.now() / 1000)
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Flowpost',
      'webhook-id': message.deliveryId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signWebhook(secrets.signing, message.deliveryId, timestamp, body),
    }
    const request = { method: 'POST', headers, body }
    const { status, retryAfterMs } = await sendThroughEgress(context, message.target, request, { statusSuffices: true, maxBodyBytes: 0 })
    if (status >= 200 && status <= 299) return { providerMessageId: null, response: String(status) }
    throw new DeliveryError({
      kind: 'provider',
      code: `http_${status}`,
      detail: `The endpoint returned ${status}.`,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    })
  },
})

const statusOf = ({ code }: DeliveryError): number | null => Number(/^http_(\d{3})$/.exec(code)?.[1] ?? Number.NaN) || null

/** Creates the failure of an endpoint whose signing secret cannot be decrypted. */
export const unreadableSecret = (): DeliveryError =>
  new DeliveryError({
    kind: 'credential',
    code: unreadableCode,
    detail: 'No key of this deployment can decrypt the signing secret. Rotate the secret, or contact the operator.',
  })

/** Creates the function that sends events. */
export const createEventSender = (deps: {
  readonly providerClient: ProviderClient
  readonly encryption: Encryption
  readonly clock: Clock
}): SendEvent => {
  const { providerClient, encryption, clock } = deps

  const deliver = async (target: PushTarget, event: PushedJson, now: Date, signal: AbortSignal | undefined): Promise<number> => {
    const secrets = { signing: signingSecrets(decryptSecrets(encryption, target), now) }
    const { response } = await providerClient.deliver({
      provider: eventProvider,
      credential: { settings: {}, secrets },
      message: {
        deliveryId: toId('event', event.id),
        attemptNumber: 1,
        createdAt: now,
        target: target.url,
        content: { subject: '', text: event.json },
      },
      ...(signal ? { signal } : {}),
    })
    return Number(response)
  }

  return async (target, event, signal) => {
    const startedAt = clock.now()
    const startedMs = performance.now()
    const resultOf = (status: number | null, failure: DeliveryError | null): PushResult => ({
      startedAt,
      durationMs: Math.round(performance.now() - startedMs),
      status,
      failure,
    })
    try {
      return resultOf(await deliver(target, event, startedAt, signal), null)
    } catch (error) {
      if (error instanceof DecryptionError) return resultOf(null, unreadableSecret())
      if (error instanceof DeliveryError) return resultOf(statusOf(error), error)
      throw error
    }
  }
}
