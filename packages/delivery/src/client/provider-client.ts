import { type Clock, systemClock } from '../clock.ts'
import type { DeliveryError } from '../delivery-error.ts'
import { createRestrictedEgress, createUnrestrictedEgress, type EgressPolicy } from '../network/egress.ts'
import type { CheckResult, OutgoingMessage, Provider, ProviderContext, SendResult } from '../provider.ts'
import { rejectOnAbort, startCallTimeout, type WithoutTimeout } from './call-timeout.ts'
import { type Credential, parseCredential, validateMessage } from './credential.ts'
import { redactCode, redactError, toDeliveryError } from './provider-errors.ts'
import { normalizeCheckResults, normalizeSendResult } from './provider-results.ts'
import { type Redactor, truncate } from './redaction.ts'
import { getRedactor } from './redactor-cache.ts'
import { createSessionCache } from './session-cache.ts'

/** Options for {@link createProviderClient}. */
export interface ProviderClientOptions {
  /**
   * The time limit, in milliseconds, for one delivery or check. Time during which the event loop is blocked does not count,
   * nor does the time that a message waits for a free SMTP connection.
   * @default 30,000
   */
  readonly timeoutMs?: number
  /** The idle time, in milliseconds, after which a credential's session is closed. @default 60,000 */
  readonly maxIdleMs?: number
  /**
   * The `fetch` for HTTP requests. Requests to addresses in tenants' credentials use a separate client instead, which
   * enforces `egress`.
   * @default the current global `fetch` at the time of each call
   */
  readonly fetch?: typeof globalThis.fetch
  /** The addresses that may be reached with tenants' credentials. @default the public internet */
  readonly egress?: EgressPolicy
  readonly clock?: Clock
}

/** One message to deliver. */
export interface DeliveryRequest {
  readonly provider: Provider
  readonly credential: Credential
  readonly message: OutgoingMessage
  /** Aborts the attempt, for example at shutdown. */
  readonly signal?: AbortSignal
}

/** A credential to check, optionally with a target. */
export interface CheckRequest {
  readonly provider: Provider
  readonly credential: Credential
  readonly target?: string
  readonly signal?: AbortSignal
}

/**
 * The client for all calls to providers. It validates the arguments, enforces the timeout, redacts secrets and caches
 * sessions.
 */
export interface ProviderClient {
  /**
   * Makes one attempt to send a message.
   *
   * @throws DeliveryError. No other error is thrown. An unknown error or a timeout results in the kind `ambiguous` if the message
   * may have been sent, otherwise `provider`.
   */
  readonly deliver: (request: DeliveryRequest) => Promise<SendResult>
  /**
   * Checks the credential, and the target if there is one. Sends no message. Never rejects: an error becomes a failed check
   * result.
   */
  readonly check: (request: CheckRequest) => Promise<readonly CheckResult[]>
  /** Closes all sessions. Calls in flight fail with the code `aborted`, and so do new calls. */
  readonly close: () => Promise<void>
}

const maxProviderMessageIdLength = 255

/**
 * Creates a provider client. A process needs only one.
 *
 * @throws TypeError when `egress` contains an invalid address range.
 */
export function createProviderClient(options: ProviderClientOptions = {}): ProviderClient {
  const { timeoutMs = 30_000, maxIdleMs = 60_000, clock = systemClock } = options
  const fetch = options.fetch ?? ((...args: Parameters<typeof globalThis.fetch>) => globalThis.fetch(...args))
  const unrestricted = createUnrestrictedEgress((url, init) => fetch(url, { ...init, redirect: 'manual' }))
  const restricted = createRestrictedEgress(options.egress)
  const sessions = createSessionCache({ maxIdleMs, clock })
  const inFlight = new Set<() => void>()
  let closed = false

  async function run<Result>(
    { provider, credential, signal: callerSignal }: Pick<DeliveryRequest, 'provider' | 'credential' | 'signal'>,
    operation: (context: ProviderContext<unknown, unknown, unknown>, withoutTimeout: WithoutTimeout) => Promise<Result>,
    isSendStarted?: () => boolean,
  ): Promise<{ result: Result; redact: Redactor }> {
    const redact = getRedactor(credential.secrets)
    const controller = new AbortController()
    const { signal } = controller
    const abort = () => controller.abort(new DOMException('The attempt was aborted.', 'AbortError'))
    const timeout = startCallTimeout(clock, timeoutMs, controller)
    // AbortSignal.any is not used here: a caller's signal may live as long as the process, and would then accumulate
    // dependent signals.
    callerSignal?.addEventListener('abort', abort, { once: true })
    inFlight.add(abort)
    try {
      const { settings, secrets } = parseCredential(provider, credential)
      if (callerSignal?.aborted || closed) abort()
      signal.throwIfAborted()
      const task = (async () => {
        const trusted = credential.trusted === true
        const egress = trusted ? unrestricted : restricted
        const lease = await sessions.acquire(provider, { settings, secrets, timeoutMs, egress, trusted })
        try {
          // If the call was aborted meanwhile, it has already been reported as not sent.
          signal.throwIfAborted()
          return await operation({ settings, secrets, session: lease.session, signal, fetch, egress, clock }, timeout.suspend)
        } finally {
          lease.release()
        }
      })()
      return { result: await rejectOnAbort(task, signal), redact }
    } catch (error) {
      const sendStarted = isSendStarted?.()
      throw redactError(toDeliveryError(error, { signal, sendStarted, timeoutMs }), redact, sendStarted)
    } finally {
      timeout.cancel()
      callerSignal?.removeEventListener('abort', abort)
      inFlight.delete(abort)
    }
  }

  return {
    async deliver({ message, ...request }) {
      let sendStarted = false
      const markSendStarted = () => {
        sendStarted = true
      }
      const { result, redact } = await run(
        request,
        async (context, withoutTimeout) => {
          validateMessage(request.provider, message)
          return normalizeSendResult(await request.provider.send({ ...context, message, markSendStarted, withoutTimeout }))
        },
        () => sendStarted,
      )
      const { providerMessageId, response, code } = result
      return {
        providerMessageId: providerMessageId === null ? null : truncate(redact(providerMessageId), maxProviderMessageIdLength),
        response: redact(response),
        ...(code === undefined ? {} : { code: redact(code) }),
      }
    },

    async check({ target, ...request }) {
      try {
        const { result, redact } = await run(request, async (context) =>
          normalizeCheckResults(await request.provider.check(target === undefined ? context : { ...context, target })),
        )
        return result.map(({ name, ok, code, detail }) => ({ name, ok, code: redactCode(code, redact), detail: redact(detail) }))
      } catch (error) {
        const { code, detail } = error as DeliveryError
        return [{ name: 'reach', ok: false, code, detail }]
      }
    },

    async close() {
      closed = true
      for (const abort of inFlight) abort()
      await sessions.close()
    },
  }
}
