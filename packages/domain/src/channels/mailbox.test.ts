import { describe, expect, it } from 'vitest'
import { mailboxField, parseMailbox } from './mailbox.ts'

describe('a mailbox', () => {
  it.each([
    ['ada@example.com', { name: '', address: 'ada@example.com' }],
    ['Ada Lovelace <ada@example.com>', { name: 'Ada Lovelace', address: 'ada@example.com' }],
    ['"Lovelace, \\"Ada\\"" <ada@example.com>', { name: 'Lovelace, "Ada"', address: 'ada@example.com' }],
    ['Zoë 🚀 <zoë@exämple.com>', { name: 'Zoë 🚀', address: 'zoë@exämple.com' }],
    ['Flowpost <flowpost@localhost>', { name: 'Flowpost', address: 'flowpost@localhost' }],
  ])('is parsed from %s', (text, mailbox) => {
    expect(parseMailbox(text)).toEqual(mailbox)
  })

  it.each([
    '',
    'Ada',
    '<>',
    'Ada <>',
    'a@b',
    'a@example.com, b@example.com',
    'Ada <a@example.com> <b@example.com>',
    'Ada\r\nBcc: eve@example.com <a@example.com>',
    'Ada <a@example.com\r\nBcc: eve@example.com>',
    'Ada\u0000 <a@example.com>',
    '"Ada <a@example.com>',
    'Ada "x" <a@example.com>',
    'a b@localhost',
    'Ada\u2028 <a@example.com>',
    ...[...'\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'].map((control) => `Ada ${control}b <a@example.com>`),
  ])('is not parsed from %j', (text) => {
    expect(parseMailbox(text)).toBeNull()
  })

  it('has a name of at most 255 characters', () => {
    expect(parseMailbox(`${'n'.repeat(255)} <ada@example.com>`)?.name).toHaveLength(255)
    expect(parseMailbox(`${'n'.repeat(256)} <ada@example.com>`)).toBeNull()
  })

  it('is stored exactly as entered', () => {
    expect(mailboxField.parse(' Ada <ada@example.com> ')).toBe(' Ada <ada@example.com> ')
    expect(mailboxField.safeParse('Ada').success).toBe(false)
  })
})
