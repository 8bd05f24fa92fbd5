import { type Clock, systemClock } from './clock.ts'
import type { Credential } from './credential.ts'
import { checkMessage, readCredential } from './credential.ts'
import { startDeadline } from './deadline.ts'
import { DeliveryError } from './delivery-error.ts'
import { createEgressGuard, createOpenEgress, type EgressPolicy } from './egress.ts'
import type { CheckResult, OutgoingMessage, Provider, ProviderCall, SendResult } from './provider.ts'
import { createRedactor, type Redactor } from './redaction.ts'
import { createSessions } from './sessions.ts'

/** What a courier needs; everything has a default. */
export interface CourierOptions {
  /** How long one send or check may take, in milliseconds, without time in which this process was blocked. @default 30,000 */
  readonly timeoutMs?: number
  /** How long the session of a credential stays open without use, in milliseconds. Default 60,000. */
  readonly maxIdleMs?: number
  /** How HTTP providers reach the network. Default: the global `fetch`, looked up at each call. */
  readonly fetch?: typeof globalThis.fetch
  /** What credentials of tenants may reach, where they name an address. Default: the public internet. */
  readonly egress?: EgressPolicy
  readonly clock?: Clock
}

/** One message to hand to a provider. */
export interface Delivery {
  readonly provider: Provider
  readonly credential: Credential
  readonly message: OutgoingMessage
  /** Gives the attempt up early, at shutdown for one. */
  readonly signal?: AbortSignal
}

/** One credential, and perhaps a target, to look at. */
export interface Inspection {
  readonly provider: Provider
  readonly credential: Credential
  readonly target?: string
  readonly signal?: AbortSignal
}

/** The way through which every call to a provider goes. */
export interface Courier {
  /**
   * Sends one message, once. Checks credential, target and limits first, enforces the time-out, and
   * takes secrets out of whatever comes back.
   *
   * @throws DeliveryError and nothing else. An unknown error or a time-out is `provider`, or `ambiguous` when the message may have left.
   */
  readonly deliver: (delivery: Delivery) => Promise<SendResult>
  /** Looks at credential and target without sending. Never rejects: what went wrong is a finding. */
  readonly check: (inspection: Inspection) => Promise<readonly CheckResult[]>
  /** Gives up what is still on its way, with code `aborted`, closes all sessions, and takes nothing more. */
  readonly close: () => Promise<void>
}

const longestProviderMessageId = 255
const codePattern = /^[A-Za-z0-9._:-]{1,64}$/

/**
 * Makes the courier of a process.
 *
 * @throws TypeError when a range of the egress policy cannot be read.
 */
export function createCourier(options: CourierOptions = {}): Courier {
  const { timeoutMs = 30_000, maxIdleMs = 60_000, clock = systemClock } = options
  const fetch = options.fetch ?? ((...request: Parameters<typeof globalThis.fetch>) => globalThis.fetch(...request))
  const openEgress = createOpenEgress((url, init) => fetch(url, { ...init, redirect: 'manual' }))
  const guard = createEgressGuard(options.egress)
  const sessions = createSessions({ maxIdleMs, clock })
  const inFlight = new Set<() => void>()
  let closed = false

  async function run<Result>(
    { provider, credential, signal }: Pick<Delivery, 'provider' | 'credential' | 'signal'>,
    work: (call: ProviderCall<unknown, unknown, unknown>) => Promise<Result>,
    hasLeft?: () => boolean,
  ): Promise<{ result: Result; redact: Redactor }> {
    const redact = createRedactor(credential.secrets)
    const attempt = new AbortController()
    const stop = attempt.signal
    const giveUp = () => attempt.abort(new DOMException('The attempt was given up.', 'AbortError'))
    const cancelDeadline = startDeadline(clock, timeoutMs, () => attempt.abort(new DOMException('The time is over.', 'TimeoutError')))
    // Not AbortSignal.any: the signals of a caller live as long as the process, and would gather what depends on them.
    signal?.addEventListener('abort', giveUp, { once: true })
    inFlight.add(giveUp)
    try {
      const { settings, secrets } = readCredential(provider, credential)
      if (signal?.aborted || closed) giveUp()
      stop.throwIfAborted()
      const task = (async () => {
        const trusted = credential.trusted === true
        const egress = trusted ? openEgress : guard
        const lease = await sessions.lease(provider, { settings, secrets, timeoutMs, egress, trusted })
        try {
          return await work({ settings, secrets, session: lease.session, signal: stop, fetch, egress, clock })
        } finally {
          lease.release()
        }
      })()
      return { result: await untilAborted(task, stop), redact }
    } catch (error) {
      throw clean(classify(error, { stop, left: hasLeft?.(), timeoutMs }), redact)
    } finally {
      cancelDeadline()
      signal?.removeEventListener('abort', giveUp)
      inFlight.delete(giveUp)
    }
  }

  return {
    async deliver(delivery) {
      let left = false
      const leaving = () => {
        left = true
      }
      const { result, redact } = await run(
        delivery,
        async (call) => {
          checkMessage(delivery.provider, delivery.message)
          const sent: Partial<SendResult> | undefined = await delivery.provider.send({ ...call, message: delivery.message, leaving })
          // Whatever else it answers, a provider that does not throw has sent the message.
          return {
            id: typeof sent?.providerMessageId === 'string' ? sent.providerMessageId : null,
            response: String(sent?.response ?? ''),
            code: typeof sent?.code === 'string' ? sent.code : undefined,
          }
        },
        () => left,
      )
      return {
        providerMessageId:
          result.id === null
            ? null
            : redact(result.id)
                .slice(0, longestProviderMessageId)
                .replace(/[\ud800-\udbff]$/, ''),
        response: redact(result.response),
        ...(result.code === undefined ? {} : { code: redact(result.code) }),
      }
    },

    async check(inspection) {
      try {
        const { target } = inspection
        const { result, redact } = await run(inspection, (call) =>
          inspection.provider.check(target === undefined ? call : { ...call, target }),
        )
        return result.map((finding) => ({ ...finding, code: cleanCode(finding.code, redact), detail: redact(finding.detail) }))
      } catch (error) {
        const { code, detail } = error as DeliveryError
        return [{ name: 'reach', ok: false, code, detail }]
      }
    },

    async close() {
      closed = true
      for (const giveUp of inFlight) giveUp()
      await sessions.close()
    },
  }
}

/** Settles with the task, or rejects at the abort even when the task does not heed it. */
async function untilAborted<Result>(task: Promise<Result>, signal: AbortSignal): Promise<Result> {
  task.catch(() => {})
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([task, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

interface Circumstances {
  readonly stop: AbortSignal
  /** Undefined when nothing was to be sent. */
  readonly left: boolean | undefined
  readonly timeoutMs: number
}

function classify(error: unknown, { stop, left, timeoutMs }: Circumstances): DeliveryError {
  if (error instanceof DeliveryError) return error
  const kind = left ? 'ambiguous' : 'provider'
  const outcome = left === undefined ? '' : left ? ' The message may have been accepted.' : ' The message was not sent.'
  if (stop.aborted && stop.reason.name === 'TimeoutError') {
    return new DeliveryError({ kind, code: 'timed_out', detail: `No answer within ${timeoutMs} ms.${outcome}` })
  }
  if (stop.aborted) return new DeliveryError({ kind, code: 'aborted', detail: `The attempt was given up.${outcome}` })
  return new DeliveryError({ kind, code: 'provider_fault', detail: `The provider has a fault.${outcome}`, answer: String(error) })
}

/** A copy without secrets. The original, with its stack and cause, is not passed on: either may hold one. */
function clean(error: DeliveryError, redact: Redactor): DeliveryError {
  const { kind, retryable, retryAfterMs, answer } = error
  return new DeliveryError({
    kind,
    code: cleanCode(error.code, redact),
    detail: redact(error.detail),
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(answer === undefined ? {} : { answer: redact(answer) }),
  })
}

function cleanCode(code: string, redact: Redactor): string {
  return codePattern.test(code) && redact(code) === code ? code : 'unrecognised'
}
