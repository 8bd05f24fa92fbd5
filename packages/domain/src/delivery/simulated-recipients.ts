import type { Channel } from '../channels/channel.ts'
import type { MatchedFlow } from '../planning/plan-notification.ts'
import type { BodyIssue, Rejection } from '../planning/rejection.ts'
import type { Receipt } from '../receipts/receipt.ts'
import type { Failure } from './failure.ts'
import { simulatedFailuresOf } from './simulated-failures.ts'

/** The domain of simulated email recipients. RFC 6761, section 6.2 reserves `.test`, so the domain never receives mail. */
export const simulatedDomain = 'flowpost.test'

/** The prefix of simulated chat recipients. No Slack id and no name of a stored URL starts with it. */
export const simulatedChannelPrefix = 'C0TEST_'

const maxFailures = 100
const maxSeconds = 600

/** The simulated behavior of one delivery attempt. */
export interface SimulatedAttempt {
  /** The failure of the attempt; `undefined` if the message is sent. */
  readonly failure?: Failure
  /** The duration of the attempt, in milliseconds. */
  readonly durationMs: number
  /** The receipt that arrives right after the message is sent; `undefined` if no receipt arrives. */
  readonly receipt?: Pick<Receipt, 'status' | 'code' | 'detail'>
}

/**
 * A simulated recipient. For email, the address is the name followed by `@flowpost.test`. For chat, the channel is `C0TEST_`
 * followed by the name.
 */
export interface SimulatedRecipient {
  /** An example name. A number in the name can be replaced with a different number. */
  readonly name: string
  /** The result of sending a message to this recipient. */
  readonly outcome: string
  /** The pattern that matches all valid names. It captures the number in the name, if there is one. */
  readonly pattern: RegExp
  /** The largest number allowed in the recipient's name; `undefined` if the name contains no number. */
  readonly max?: number
  /**
   * Returns the simulated behavior of an attempt.
   * @param sourceType The delivery's provider.
   * @param attemptNumber The number of the attempt, starting at 1. Starts over at 1 when a request retries the
   * delivery.
   * @param number The number in the recipient's name; 1 if the name contains none.
   */
  readonly attempt: (sourceType: string, attemptNumber: number, number: number) => SimulatedAttempt
}

const sent: SimulatedAttempt = { durationMs: 0 }
const simulatedComplaint = { status: 'complained', code: 'abuse', detail: 'The recipient reported the message as spam.' } as const
const failed = (failure: Failure): SimulatedAttempt => ({ failure, durationMs: 0 })

/** All simulated recipients for messages that are sent with a test key. */
export const simulatedRecipients: readonly SimulatedRecipient[] = [
  { name: 'ok', outcome: 'The message is sent.', pattern: /^ok$/, attempt: () => sent },
  {
    name: 'bounce',
    outcome: 'The provider rejects the recipient permanently, so the delivery fails.',
    pattern: /^bounce$/,
    attempt: (sourceType) => failed(simulatedFailuresOf(sourceType).bounce),
  },
  {
    name: 'outage.3',
    outcome: `The provider is unavailable for the first 3 attempts. The next attempt sends the message. You can replace 3 with any number from 1 to ${maxFailures}.`,
    pattern: /^outage\.([1-9]\d{0,2})$/,
    max: maxFailures,
    attempt: (sourceType, attemptNumber, failures) => (attemptNumber <= failures ? failed(simulatedFailuresOf(sourceType).outage) : sent),
  },
  {
    name: 'slow.20s',
    outcome: `The attempt takes 20 seconds, then the message is sent. You can replace 20 with any number from 1 to ${maxSeconds}.`,
    pattern: /^slow\.([1-9]\d{0,2})s$/,
    max: maxSeconds,
    attempt: (_sourceType, _attemptNumber, seconds) => ({ durationMs: seconds * 1_000 }),
  },
  {
    name: 'ambiguous',
    outcome:
      "The provider's response to the first attempt is lost. With `FLOWPOST_AMBIGUOUS=retry`, the second attempt sends the message. With `hold`, the delivery ends as `ambiguous`.",
    pattern: /^ambiguous$/,
    attempt: (sourceType, attemptNumber) => (attemptNumber === 1 ? failed(simulatedFailuresOf(sourceType).ambiguous) : sent),
  },
  {
    name: 'complaint',
    outcome: 'The message is sent, then the recipient reports it as spam: the receipt is `complained`.',
    pattern: /^complaint$/,
    attempt: () => ({ ...sent, receipt: simulatedComplaint }),
  },
]

type RecipientChannel = Pick<Channel, 'id' | 'kind'>

/**
 * Returns the name in a target that has the simulated domain or prefix. Does not check whether a simulated recipient has
 * that name. Returns `undefined` for any other target.
 */
const nameIn = (kind: Channel['kind'], target: string): string | undefined => {
  if (kind === 'chat') return target.startsWith(simulatedChannelPrefix) ? target.slice(simulatedChannelPrefix.length) : undefined
  const [local = '', domain] = target.toLowerCase().split('@')
  // The label after `+` is ignored, so one simulated recipient can have several addresses.
  return domain === simulatedDomain ? local.replace(/\+.*$/s, '') : undefined
}

const findByName = (name: string): { readonly recipient: SimulatedRecipient; readonly number: number } | undefined => {
  for (const recipient of simulatedRecipients) {
    const match = recipient.pattern.exec(name)
    const number = Number(match?.[1] ?? 1)
    if (match && number <= (recipient.max ?? 1)) return { recipient, number }
  }
  return undefined
}

/** Returns whether a target is a simulated chat recipient. Chat channels accept these targets in addition to real ones. */
export const isSimulatedChannel = (target: string): boolean => {
  const name = nameIn('chat', target)
  return name !== undefined && findByName(name) !== undefined
}

/** Lists the simulated recipients for a kind of channel, for use in error messages. */
export const listSimulatedRecipients = (kind: Channel['kind']): string =>
  simulatedRecipients.map(({ name }) => (kind === 'chat' ? `${simulatedChannelPrefix}${name}` : `${name}@${simulatedDomain}`)).join(', ')

/**
 * Returns the simulated behavior of an attempt to deliver a test message. If the target is not a simulated recipient, the attempt
 * succeeds immediately.
 * @param attemptNumber The number of the attempt, starting at 1. Starts over at 1 when a request retries the delivery.
 */
export const simulateAttempt = (channel: RecipientChannel, target: string, attemptNumber: number): SimulatedAttempt => {
  const name = nameIn(channel.kind, target)
  const found = name === undefined ? undefined : findByName(name)
  return found ? found.recipient.attempt(channel.id, attemptNumber, found.number) : sent
}

/**
 * Returns a rejection if any target of a test message has the simulated domain or prefix but is not a simulated recipient.
 * Such a target is probably misspelled. Returns `undefined` if there is no such target.
 */
export const rejectUnknownSimulations = <Flow extends { readonly source_type: string }>(
  matched: readonly MatchedFlow<Flow>[],
  channelOf: (sourceType: string) => Channel | undefined,
): Rejection<'validation_failed'> | undefined => {
  const errors = new Map<string, BodyIssue>()
  for (const { flow, targets } of matched) {
    const kind = channelOf(flow.source_type)?.kind
    if (kind === undefined) continue
    for (const target of targets) {
      const name = nameIn(kind, target)
      if (name === undefined || findByName(name)) continue
      const ranges = `The number after "outage." can be 1 to ${maxFailures}, and the number after "slow." 1 to ${maxSeconds}.`
      const message = `${target} is not a simulated recipient. Use one of ${listSimulatedRecipients(kind)}. ${ranges}`
      errors.set(target, { pointer: '/target', code: 'invalid_target', message })
    }
  }
  if (errors.size === 0) return undefined
  const detail = `The request has ${errors.size} validation ${errors.size === 1 ? 'error' : 'errors'}.`
  return { ok: false, code: 'validation_failed', detail, errors: [...errors.values()] }
}
