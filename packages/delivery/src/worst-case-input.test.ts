import { expect, test } from 'vitest'
import { cpuTimeOf, maxCpuMs } from '../../domain/test/cpu-time.ts'
import { createMessage } from '../test/fixtures.ts'
import { createRedactor } from './client/redaction.ts'
import { composeEmail } from './email/compose-email.ts'

const repeatTo = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length)
const compose = (subject: string, name = 'Flowpost', text = 'x') =>
  composeEmail(createMessage({ content: { subject, text } }), { from: `"${name}" <no-reply@sender.example>` })

/** 100 URLs of 2,000 characters, with different path segments that begin in the same way. */
const urls = Array.from({ length: 100 }, (_, url) => {
  const segments = Array.from({ length: 116 }, (_, index) => `'${url * 116 + index}`.padStart(16, 'z'))
  return `https://x.example/${segments.join('/')}`
})

const cases: [string, () => unknown][] = [
  ['a subject that is a single long word', () => compose(repeatTo('x', 998))],
  ['a subject made up of emoji', () => compose(repeatTo('🚀', 998 * 2))],
  ['a subject with many combining marks', () => compose(repeatTo('a\u0301\u0323', 998))],
  ['a subject made up of quotes', () => compose(repeatTo('"', 998))],
  ['a subject with many spaces', () => compose(repeatTo(' x', 998))],
  ['a subject made up of encoded words', () => compose(repeatTo('=?utf-8?Q?a?=', 998))],
  ['a subject made up of control characters', () => compose(repeatTo('\r\n\u0001', 998))],
  ['a name made up of quotes', () => compose('s', repeatTo('\\"', 200))],
  ['a name made up of emoji', () => compose('s', repeatTo('🚀', 200))],
  ['a text that is a single long line', () => compose('s', 'Flowpost', repeatTo('x', 100_000))],
  ['a text made up of line breaks', () => compose('s', 'Flowpost', repeatTo('\r\r\n', 100_000))],
  ['a text made up of equals signs', () => compose('s', 'Flowpost', repeatTo('=', 100_000))],
  ['a text made up of emoji', () => compose('s', 'Flowpost', repeatTo('🚀', 100_000))],
  [
    'a response that almost matches a secret',
    () => createRedactor({ token: repeatTo('ab', 500) })(repeatTo('ab', 100_000).replaceAll('abab', 'abaa')),
  ],
  ['a response made up of escape sequences', () => createRedactor({ urls })(repeatTo('\\/z%7a', 65_536))],
  ['a response that almost matches the parts of 100 URLs', () => createRedactor({ urls })(repeatTo('z', 65_536))],
]

test.each(cases)('%s is processed within 50 ms', (_, operation) => {
  expect(cpuTimeOf(operation)).toBeLessThan(maxCpuMs)
})
