import { expect, test } from 'vitest'
import { cpuTimeOf, maxCpuMs } from '../../test/cpu-time.ts'
import type { Channel } from '../channels/channel.ts'
import { parseEmailAddress } from '../channels/email-address.ts'
import { hostOrAddress } from '../channels/fields.ts'
import { parseMailbox } from '../channels/mailbox.ts'
import { slackDescription } from '../channels/slack.ts'
import { smtpDescription } from '../channels/smtp.ts'
import { htmlToText } from '../html/html-to-text.ts'
import { planNotification } from '../planning/plan-notification.ts'
import { parseTargetList } from '../planning/target-list.ts'
import { findTemplateIssues, splitTemplate } from './split-template.ts'
import { findTemplateWarnings } from './template-warnings.ts'

const length = 100_000
const fill = (text: string, of = length): string => text.repeat(Math.ceil(of / text.length)).slice(0, of)

const html: [string, string][] = [
  ['tags', '<p>x'],
  ['links that never end', '<a href="http://a/">'],
  ['links whose label is their URL', '<a href="http://a/">http://a/</a>'],
  ['nested lists', '<ul><li>x'],
  ['closing tags', '</p>'],
  ['attributes', '<a b=c d=e f=g>'],
  ['one tag with many attributes', ' b=c'],
  ['quotes that never end', '<a b="'],
  ['comments', '<!---->'],
  ['comments that never end', '<!--'],
  ['scripts in comments', '<script><!--<script>'],
  ['styles that never end', '<style>'],
  ['character references', '&amp;'],
  ['long character references', '&#0000000000065;'],
  ['character references that never end', '&abcdefghijklmno'],
  ['no-break spaces', '\u00a0x'],
  ['line breaks within <pre>', '\n'],
  ['rows and cells', '<tr><td>x'],
]

test.each(html)('converts HTML with %s within the time limit', (_, text) => {
  expect(cpuTimeOf(() => htmlToText(`<pre><a ${fill(text)}`))).toBeLessThan(maxCpuMs)
  expect(cpuTimeOf(() => htmlToText(fill(text)))).toBeLessThan(maxCpuMs)
})

const flow = (message_template: string, message_template_type: 'text/plain' | 'text/html' = 'text/plain') => ({
  active: true,
  source_type: 'smtp',
  target: 'ops@example.com',
  override_target: true,
  message_template,
  message_template_type,
})
const plan = (flows: ReturnType<typeof flow>[], message: string, message_type: 'text/plain' | 'text/html' = 'text/plain') => {
  const channels = new Map<string, Channel>([smtpDescription, slackDescription].map((channel) => [channel.id, channel]))
  return planNotification(
    flows,
    { subject: 's'.repeat(998), message, message_type },
    { idOf: () => 'flw', channelOf: (id) => channels.get(id) },
  )
}
const many = (count: number, template: string, type: 'text/plain' | 'text/html') =>
  Array.from({ length: count }, () => flow(template, type))

const sends: [string, () => unknown][] = [
  ['a stored template with 9,000 placeholders', () => plan([flow(fill('{{message}}'), 'text/html')], fill('<p>&amp;'), 'text/html')],
  ['32 placeholders for a long message', () => plan([flow('{{message}}'.repeat(32), 'text/html')], fill('"'))],
  ['a long message for 1,000 flows', () => plan(many(1_000, 'x{{message}}', 'text/html'), fill('"\n'))],
  ['1,000 flows that convert HTML to text', () => plan(many(1_000, '-{{message}}', 'text/plain'), fill('<b>'), 'text/html')],
  ['1,000 flows whose templates contain only line breaks', () => plan(many(1_000, fill('\\n'), 'text/plain'), 'x')],
  ['1,000 flows whose templates contain many tags', () => plan(many(1_000, fill('<p>x'), 'text/html'), 'x')],
  [
    'a long message for many references to a noncharacter',
    () => plan([flow(`x{{subject}}${'&#xFDD1;'.repeat(6_000)}`, 'text/html')], fill('m')),
  ],
  [
    'a long message in many links',
    () => plan([flow('<a href="http://{{message}}">{{message}}</a>'.repeat(16), 'text/html')], fill('http://x ')),
  ],
]

test.each(sends)('plans a notification with %s within the time limit', (_, work) => {
  expect(cpuTimeOf(work)).toBeLessThan(maxCpuMs)
})

const others: [string, () => unknown][] = [
  [
    'a template with many braces',
    () => findTemplateWarnings({ template: fill('{{'), templateType: 'text/plain', channel: smtpDescription }),
  ],
  [
    'a template with many unknown placeholders',
    () => findTemplateWarnings({ template: fill('{{messge}}'), templateType: 'text/plain', channel: smtpDescription }),
  ],
  ['a template with many placeholders', () => splitTemplate(fill('{{message}}\\n'), 'text/plain')],
  ['a template whose placeholders are counted', () => findTemplateIssues({ message_template: fill('{{subject}}') })],
  ['an address with many dots', () => parseEmailAddress(`${fill('a.')}@example.com`)],
  ['an address with many at signs', () => parseEmailAddress(fill('@'))],
  ['an address with many labels', () => parseEmailAddress(`a@${fill('a-.')}`)],
  ['an address with many combining marks', () => parseEmailAddress(`a@${fill('a\u0301\u0323')}.example`)],
  ['an address with many quotes', () => parseEmailAddress(`"${fill('\\"')}"@example.com`)],
  ['a target with many separators', () => parseTargetList(fill(';'), () => true)],
  ['a target with many spaces', () => parseTargetList(`a${fill(' ')};${fill(' ')}b`, () => true)],
  ['a target with many colons', () => parseTargetList(fill(':'), (id) => id === 'smtp')],
  ['a channel id with many letters', () => slackDescription.parseTarget(`C${fill('A')}`)],
  ['a mailbox with many backslashes', () => parseMailbox(`"${fill('\\')}" <a@example.com>`)],
  ['a mailbox with many spaces', () => parseMailbox(`${fill(' ')}<${fill(' ')}a@example.com>`)],
  ['a host name with many labels', () => hostOrAddress.safeParse(fill('a.'))],
  ['a host name with many hyphens', () => hostOrAddress.safeParse(fill('-'))],
  ['a host name with many colons', () => hostOrAddress.safeParse(fill(':'))],
  ['an IPv6 address with a long zone', () => hostOrAddress.safeParse(`::1%${fill('a.')}!`)],
]

test.each(others)('parses %s within the time limit', (_, work) => {
  expect(cpuTimeOf(work)).toBeLessThan(maxCpuMs)
})
