import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'
import { createMessage } from '../../test/fixtures.ts'
import { parseMime } from '../../test/read-mail.ts'
import { composeEmail } from './compose-email.ts'

const sender = { from: 'Flowpost <no-reply@sender.example>' }

const toCrlf = (text: string) => text.toWellFormed().replace(/\r\n|\r|\n/g, '\r\n')
const textArbitrary = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\n', '\r', '.', '=', ' ', '\t', '-', 'é', '語', '🚀'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 300,
})

describe('composeEmail', () => {
  it('preserves text and HTML, except for line endings', () => {
    fc.assert(
      fc.property(textArbitrary, textArbitrary, (text, html) => {
        const { raw } = composeEmail(createMessage({ content: { subject: 's', text, html } }), sender)
        const { parts } = parseMime(raw)
        expect(parts.get('text/plain')).toBe(toCrlf(text))
        expect(parts.get('text/html')).toBe(toCrlf(html))
        const plain = parseMime(composeEmail(createMessage({ content: { subject: 's', text } }), sender).raw).parts.get('text/plain') ?? ''
        expect([toCrlf(text), `${toCrlf(text)}\r\n`]).toContain(plain)
      }),
    )
  })

  it('returns the same bytes for every attempt', () => {
    const message = createMessage({ content: { subject: 'Ü', text: 't', html: '<p>h</p>' } })
    expect(composeEmail(message, sender).raw).toBe(composeEmail({ ...message, attemptNumber: 2 }, sender).raw)
  })

  it('prevents header injection through the subject', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.constant('a\r\nBcc: eve@example.com\r\n\r\nbody')), (subject) => {
        const { raw, headers } = composeEmail(createMessage({ content: { subject, text: 'x' } }), sender)
        const names = ['From', 'To', 'Subject', 'Message-ID', 'Date', 'Auto-Submitted', 'MIME-Version']
        expect(headers.map(([name]) => name)).toEqual(names)
        const sentNames = [...names, 'Content-Type', 'Content-Transfer-Encoding'].map((name) => name.toLowerCase())
        expect([...parseMime(raw).headers.keys()]).toEqual(sentNames)
      }),
    )
  })

  it('uses only CRLF and lines of at most 998 octets', () => {
    fc.assert(
      fc.property(textArbitrary, (text) => {
        const { raw } = composeEmail(createMessage({ content: { subject: text, text: `${text}${'x'.repeat(2000)}`, html: text } }), sender)
        expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
        expect(Math.max(...raw.split('\r\n').map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(998)
      }),
    )
  })

  it('folds any subject of 998 characters into lines of at most 998 octets', () => {
    const run = fc.tuple(fc.constantFrom('x', ' ', '"', 'é'), fc.integer({ min: 1, max: 998 })).map(([unit, count]) => unit.repeat(count))
    const subjects = fc.array(run, { minLength: 1, maxLength: 4 }).map((runs) => runs.join('').slice(0, 998))
    fc.assert(
      fc.property(fc.oneof(subjects, fc.constantFrom('x'.repeat(998), `  ${'x'.repeat(996)}`)), (subject) => {
        const { raw } = composeEmail(createMessage({ content: { subject, text: 'x' } }), sender)
        expect(Math.max(...raw.split('\r\n').map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(998)
      }),
      { examples: [['x'.repeat(998)], [`  ${'x'.repeat(996)}`]] },
    )
  })

  it.each([
    ...['=?utf-8?Q?Your_password?=', 'see =?utf-8?B?aGk=?= here', 'a =?utf-8?Q?=E2=80=AE?= b', "it's=?", 'a?=b=?', '=E9', '_'],
    ...['two  spaces', 'é  é', `a${' '.repeat(200)}b`, `x é${' '.repeat(100)}é y`, '" a', `${'word '.repeat(30)}é`, '語'.repeat(90)],
  ])('lets a reader show the subject %j as given', async (subject) => {
    const { raw } = composeEmail(createMessage({ content: { subject, text: 'x' } }), sender)
    expect((await PostalMime.parse(raw)).subject).toBe(subject)
  })

  it.each(['=?utf-8?Q?=E2=80=AEx?=', 'A =?utf-8?B?aGk=?=', 'Zoë, Y', "O'Neil (x)", 'a@b', 'a;b', 'Zoë '.repeat(20).trim()])(
    'lets a reader show the sender name %j as given',
    async (name) => {
      const { raw } = composeEmail(createMessage(), { from: `${name} <a@sender.example>` })
      expect((await PostalMime.parse(raw)).from).toEqual({ name, address: 'a@sender.example' })
    },
  )

  it('folds no header into a line of spaces only', () => {
    const runs = fc.tuple(fc.constantFrom('x', ' '), fc.integer({ min: 1, max: 200 })).map(([unit, count]) => unit.repeat(count))
    fc.assert(
      fc.property(fc.array(runs, { minLength: 1, maxLength: 4 }), (subject) => {
        const message = createMessage({ content: { subject: subject.join(''), text: 'x' } })
        const { raw } = composeEmail(message, { from: `"a${subject.join('').slice(0, 198)}b" <a@sender.example>` })
        expect(raw.slice(0, raw.indexOf('\r\n\r\n'))).not.toMatch(/^ +$/m)
      }),
      { examples: [[[`a${' '.repeat(200)}b`]], [[`${'x '.repeat(32)}xx`, ' '.repeat(5)]]] },
    )
  })

  it('sets From, To and Reply-To', () => {
    const composed = composeEmail(createMessage({ target: 'ada@exämple.com' }), {
      from: 'Zoë <zoe@sender.example>',
      reply_to: 'Help, Desk <help@sender.example>',
    })
    expect(Object.fromEntries(composed.headers)).toMatchObject({
      From: '"Zoë" <zoe@sender.example>',
      To: 'ada@xn--exmple-cua.com',
      'Reply-To': '"Help, Desk" <help@sender.example>',
      'Auto-Submitted': 'auto-generated',
    })
    expect(composed.envelope).toEqual({ from: 'zoe@sender.example', to: 'ada@xn--exmple-cua.com' })
  })
})
