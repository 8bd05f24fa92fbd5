import type { SentMessage } from './delivery/outbox.ts'
import type { FlowpostMock } from './mock.ts'

/** A text that must be equal, or a pattern that must be found in it. */
export type TextPattern = string | RegExp

/** What a message must be like. What is left out does not matter. */
export interface ExpectedMessage {
  /** The id of the flow, or its name. */
  readonly flow?: TextPattern | { readonly id: string }
  /** The receiver. */
  readonly target?: TextPattern
  readonly subject?: TextPattern
  /** The text or the HTML view. */
  readonly body?: TextPattern
  readonly source_type?: string
  readonly notification_id?: string
}

/** The matchers. `Result` is what an assertion of the test framework returns. */
export interface FlowpostMatchers<Result = void> {
  /** At least one message was sent that is so; without an argument, any message. */
  toHaveSent(expected?: ExpectedMessage): Result
  /** So many messages were sent that are so. */
  toHaveSentTimes(times: number, expected?: ExpectedMessage): Result
}

const fits = (text: string | null, pattern: TextPattern | undefined): boolean => {
  if (pattern === undefined) return true
  if (text === null) return false
  // A pattern with `g` or `y` remembers where it stopped.
  return typeof pattern === 'string' ? text === pattern : new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(text)
}

const fitsFlow = (message: SentMessage, flow: ExpectedMessage['flow']): boolean => {
  if (flow !== undefined && typeof flow !== 'string' && !(flow instanceof RegExp)) return message.flow_id === flow.id
  return fits(message.flow_id, flow) || fits(message.flow_name, flow)
}

const isSo = (message: SentMessage, expected: ExpectedMessage): boolean =>
  fitsFlow(message, expected.flow) &&
  fits(message.target, expected.target) &&
  fits(message.subject, expected.subject) &&
  (fits(message.text, expected.body) || fits(message.html, expected.body)) &&
  fits(message.source_type, expected.source_type) &&
  fits(message.notification_id, expected.notification_id)

const show = (value: unknown): string =>
  value instanceof RegExp
    ? String(value)
    : (JSON.stringify(value, (_key, inner: unknown) => (inner instanceof RegExp ? String(inner) : inner)) ?? '')

const describeOutbox = (outbox: readonly SentMessage[]): string => {
  if (outbox.length === 0) return 'Nothing was sent.'
  const lines = outbox.map(({ flow_name, flow_id, source_type, target, subject, text, html }, index) => {
    const body = (html ?? text).replace(/\s+/g, ' ').slice(0, 120)
    return `  ${index + 1}. flow ${show(flow_name ?? flow_id)} by ${source_type} to ${target}: ${show(subject)}, ${show(body)}`
  })
  return `Sent:\n${lines.join('\n')}`
}

const outboxOf = (received: unknown, matcher: string): readonly SentMessage[] => {
  const outbox = (received as Partial<FlowpostMock> | null | undefined)?.outbox
  if (!Array.isArray(outbox)) throw new TypeError(`${matcher} wants a mock: expect(mock).${matcher}(...).`)
  return outbox
}

const times = (count: number): string => `${count} ${count === 1 ? 'message' : 'messages'}`

/** The matchers, for the `expect.extend` of Vitest, Jest, or anything of their kind. */
export const flowpostMatchers = {
  toHaveSent: (received: unknown, expected: ExpectedMessage = {}) => {
    const outbox = outboxOf(received, 'toHaveSent')
    const pass = outbox.some((message) => isSo(message, expected))
    return { pass, message: () => `Expected ${pass ? 'no message' : 'a message'} like ${show(expected)}. ${describeOutbox(outbox)}` }
  },

  toHaveSentTimes: (received: unknown, count: number, expected: ExpectedMessage = {}) => {
    const outbox = outboxOf(received, 'toHaveSentTimes')
    const found = outbox.filter((message) => isSo(message, expected)).length
    const pass = found === count
    const wanted = `${pass ? 'another number than ' : ''}${times(count)}`
    return { pass, message: () => `Expected ${wanted} like ${show(expected)}, but there are ${found}. ${describeOutbox(outbox)}` }
  },
}
