import { expect, test } from 'vitest'
import { cpuTimeOf, maxCpuMs } from '../../domain/test/cpu-time.ts'
import { outgoing } from '../test/delivery-case.ts'
import { composeEmail } from './email-message.ts'
import { createRedactor } from './redaction.ts'

const fill = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length)
const email = (subject: string, name = 'Flowpost', text = 'x') =>
  composeEmail(outgoing({ content: { subject, text } }), { from: `"${name}" <no-reply@sender.example>` })

const cases: [string, () => unknown][] = [
  ['a subject of letters', () => email(fill('x', 998))],
  ['a subject of emoji', () => email(fill('🚀', 998 * 2))],
  ['a subject of combining marks', () => email(fill('a\u0301\u0323', 998))],
  ['a subject of quotes', () => email(fill('"', 998))],
  ['a subject of blanks', () => email(fill(' x', 998))],
  ['a subject of what looks encoded', () => email(fill('=?utf-8?Q?a?=', 998))],
  ['a subject of control characters', () => email(fill('\r\n\u0001', 998))],
  ['a name of quotes', () => email('s', fill('\\"', 200))],
  ['a name of emoji', () => email('s', fill('🚀', 200))],
  ['a text of long lines', () => email('s', 'Flowpost', fill('x', 100_000))],
  ['a text of line breaks', () => email('s', 'Flowpost', fill('\r\r\n', 100_000))],
  ['a text of equals signs', () => email('s', 'Flowpost', fill('=', 100_000))],
  ['a text of emoji', () => email('s', 'Flowpost', fill('🚀', 100_000))],
  [
    'an answer that almost repeats a secret',
    () => createRedactor({ token: fill('ab', 500) })(fill('ab', 100_000).replaceAll('abab', 'abaa')),
  ],
]

test.each(cases)('%s is written in time', (_, work) => {
  expect(cpuTimeOf(work)).toBeLessThan(maxCpuMs)
})
