import { parseMailbox } from '@flowpost/domain'
import { describe, expect, it } from 'vitest'
import { mailbox } from './email-parts.ts'

describe('a sender', () => {
  it('is read the same however often, and cannot be changed', () => {
    for (const text of ['ada@example.com', 'Ada <ada@example.com>', '"Ada, L" <ada@exämple.com>', 'ada@example.com']) {
      expect(mailbox(text)).toEqual(parseMailbox(text))
      expect(mailbox(text)).toBe(mailbox(text))
      expect(Object.isFrozen(mailbox(text))).toBe(true)
    }
  })

  it('is refused however often', () => {
    for (const _ of [1, 2]) expect(() => mailbox('Ada\r\nBcc: eve@example.com <a@example.com>')).toThrow('not a mailbox')
  })

  it('is forgotten after a thousand others', () => {
    const first = mailbox('first@example.com')
    for (let number = 0; number < 1000; number += 1) mailbox(`${number}@example.com`)
    expect(mailbox('first@example.com')).not.toBe(first)
    expect(mailbox('first@example.com')).toEqual(first)
  })
})
