import type { SentMessage } from './delivery/outbox.ts'
import type { FlowpostMock } from './mock.ts'

/** A text pattern. A string must equal the text. A regular expression must match a part of the text. */
export type TextPattern = string | RegExp

/** The expected fields of a message. Omitted fields match any value. */
export interface ExpectedMessage {
  /** The flow. A pattern must match the flow's name or its id. An object such as a `Flow` must have the flow's id. */
  readonly flow?: TextPattern | { readonly id: string } | undefined
  /** The recipient. */
  readonly target?: TextPattern | undefined
  readonly subject?: TextPattern | undefined
  /** The body. A pattern must match the text or the HTML. */
  readonly body?: TextPattern | undefined
  readonly source_type?: string | undefined
  readonly notification_id?: string | undefined
}

/** The matchers that this package adds to `expect`. `Result` is the return type of assertions in the test framework. */
export interface FlowpostMatchers<Result = void> {
  /** Passes if at least one matching message was sent. Without an argument, any message matches. */
  toHaveSent(expected?: ExpectedMessage): Result
  /** Passes if exactly `times` matching messages were sent. */
  toHaveSentTimes(times: number, expected?: ExpectedMessage): Result
}

const isText = (value: unknown): boolean => typeof value === 'string' || value instanceof RegExp

const isFlow = (value: unknown): boolean => isText(value) || typeof (value as Partial<{ id: string }> | null)?.id === 'string'

const fieldChecks: Readonly<Record<keyof ExpectedMessage, (value: unknown) => boolean>> = {
  flow: isFlow,
  target: isText,
  subject: isText,
  body: isText,
  source_type: isText,
  notification_id: isText,
}

/**
 * Validates the argument of a matcher. Without this check, a misspelled field would be ignored and match too many messages.
 *
 * @throws {TypeError} When `expected` has an unknown field or a field with the wrong type.
 */
const checkExpected = (expected: unknown, matcher: string): void => {
  const names = Object.keys(fieldChecks).join(', ')
  if (expected === null || typeof expected !== 'object' || Array.isArray(expected) || expected instanceof RegExp)
    throw new TypeError(`${matcher} requires an object with the expected fields: ${names}.`)
  for (const [name, value] of Object.entries(expected)) {
    if (!Object.hasOwn(fieldChecks, name)) throw new TypeError(`${matcher} has no field ${name}. The fields are ${names}.`)
    if (value !== undefined && !fieldChecks[name as keyof ExpectedMessage](value))
      throw new TypeError(`${matcher}: ${name} must be a string or a regular expression${name === 'flow' ? ', or a flow' : ''}.`)
  }
}

const matchesText = (text: string | null, pattern: TextPattern | undefined): boolean => {
  if (pattern === undefined) return true
  if (text === null) return false
  // Omits the flags `g` and `y`, because they make a pattern stateful.
  return typeof pattern === 'string' ? text === pattern : new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(text)
}

const matchesFlow = (message: SentMessage, flow: ExpectedMessage['flow']): boolean => {
  if (flow !== undefined && typeof flow !== 'string' && !(flow instanceof RegExp)) return message.flow_id === flow.id
  return matchesText(message.flow_id, flow) || matchesText(message.flow_name, flow)
}

const matchesMessage = (message: SentMessage, expected: ExpectedMessage): boolean =>
  matchesFlow(message, expected.flow) &&
  matchesText(message.target, expected.target) &&
  matchesText(message.subject, expected.subject) &&
  (matchesText(message.text, expected.body) || matchesText(message.html, expected.body)) &&
  matchesText(message.source_type, expected.source_type) &&
  matchesText(message.notification_id, expected.notification_id)

const format = (value: unknown): string =>
  value instanceof RegExp
    ? String(value)
    : (JSON.stringify(value, (_key, inner: unknown) => (inner instanceof RegExp ? String(inner) : inner)) ?? '')

const describeOutbox = (outbox: readonly SentMessage[]): string => {
  if (outbox.length === 0) return 'Nothing was sent.'
  const lines = outbox.map(({ flow_name, flow_id, source_type, target, subject, text, html }, index) => {
    const body = (html ?? text).replace(/\s+/g, ' ').slice(0, 120)
    return `  ${index + 1}. flow ${format(flow_name ?? flow_id)} by ${source_type} to ${target}: ${format(subject)}, ${format(body)}`
  })
  return `Sent:\n${lines.join('\n')}`
}

const outboxOf = (received: unknown, matcher: string): readonly SentMessage[] => {
  const outbox = (received as Partial<FlowpostMock> | null | undefined)?.outbox
  if (!Array.isArray(outbox)) throw new TypeError(`${matcher} requires a mock: expect(mock).${matcher}(...).`)
  return outbox
}

const formatCount = (count: number): string => `${count} ${count === 1 ? 'message' : 'messages'}`

/** The matchers for `expect.extend` of Vitest, Jest and compatible frameworks. */
export const flowpostMatchers = {
  toHaveSent: (received: unknown, expected: ExpectedMessage = {}) => {
    const outbox = outboxOf(received, 'toHaveSent')
    checkExpected(expected, 'toHaveSent')
    const pass = outbox.some((message) => matchesMessage(message, expected))
    return { pass, message: () => `Expected ${pass ? 'no message' : 'a message'} like ${format(expected)}. ${describeOutbox(outbox)}` }
  },

  toHaveSentTimes: (received: unknown, count: number, expected: ExpectedMessage = {}) => {
    const outbox = outboxOf(received, 'toHaveSentTimes')
    if (!Number.isInteger(count) || count < 0)
      throw new TypeError('toHaveSentTimes requires the number of messages, an integer of at least 0.')
    checkExpected(expected, 'toHaveSentTimes')
    const matchCount = outbox.filter((message) => matchesMessage(message, expected)).length
    const pass = matchCount === count
    const expectation = `${pass ? 'not exactly ' : ''}${formatCount(count)}`
    return {
      pass,
      message: () => `Expected ${expectation} like ${format(expected)}, but found ${matchCount}. ${describeOutbox(outbox)}`,
    }
  },
}
