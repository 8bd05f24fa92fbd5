import { createSecretKey, randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEncryption, DecryptionError, readKeyId } from './encryption.ts'
import type { EncryptionKey } from './encryption-keys.ts'

const createKey = (id: string): EncryptionKey => ({ id, key: createSecretKey(randomBytes(32)) })
const [one, two] = [createKey('one'), createKey('two')]
const context = ['integration', 'project', 'smtp']

const outcomeOf = (decrypt: () => unknown): string => {
  try {
    decrypt()
    return 'decrypted'
  } catch (error) {
    if (error instanceof DecryptionError) return error.reason
    throw error
  }
}

describe('encryption', () => {
  it('decrypts what it encrypted, for any text and context', () => {
    const encryption = createEncryption([one])
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string()), (text, anyContext) => {
        expect(encryption.decrypt(encryption.encrypt(text, anyContext), anyContext)).toBe(text)
      }),
    )
  })

  it('rejects another context, even when the parts of both contexts join to the same text', () => {
    const encryption = createEncryption([one])
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (first, second) => {
        fc.pre(JSON.stringify(first) !== JSON.stringify(second))
        expect(outcomeOf(() => encryption.decrypt(encryption.encrypt('x', first), second))).toBe('not_authentic')
      }),
    )
    expect(outcomeOf(() => encryption.decrypt(encryption.encrypt('x', ['ab', 'c']), ['a', 'bc']))).toBe('not_authentic')
  })

  it('rejects a value with a changed bit, and a truncated value', () => {
    const encryption = createEncryption([one])
    const encrypted = encryption.encrypt('a secret', context)
    for (let bit = 0; bit < encrypted.length * 8; bit += 1) {
      const changed = Buffer.from(encrypted)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(outcomeOf(() => encryption.decrypt(changed, context))).not.toBe('decrypted')
    }
    for (let length = 0; length < encrypted.length; length += 1)
      expect(outcomeOf(() => encryption.decrypt(encrypted.subarray(0, length), context))).not.toBe('decrypted')
  })

  it('encrypts the same text differently each time, and reveals neither text nor key', () => {
    const encryption = createEncryption([one])
    const encrypted = encryption.encrypt('a secret', context)
    expect(encrypted.equals(encryption.encrypt('a secret', context))).toBe(false)
    expect(encrypted.includes('a secret')).toBe(false)
    expect(inspect(one, { depth: 9, showHidden: true })).not.toContain(one.key.export().toString('base64').slice(0, 8))
  })

  it('encrypts with the first key and decrypts with any key', () => {
    const oldOnly = createEncryption([one])
    const both = createEncryption([two, one])
    const encrypted = oldOnly.encrypt('x', context)
    expect(both.decrypt(encrypted, context)).toBe('x')
    expect([readKeyId(encrypted), readKeyId(both.encrypt('x', context)), both.primaryKeyId]).toEqual(['one', 'two', 'two'])
  })

  it('distinguishes an unknown key from another key with the same id', () => {
    const encrypted = createEncryption([one]).encrypt('x', context)
    expect(outcomeOf(() => createEncryption([two]).decrypt(encrypted, context))).toBe('unknown_key')
    expect(outcomeOf(() => createEncryption([createKey('one')]).decrypt(encrypted, context))).toBe('not_authentic')
    expect(outcomeOf(() => createEncryption([]).decrypt(encrypted, context))).toBe('unknown_key')
  })

  it('encrypts nothing without a key', () => {
    const encryption = createEncryption([])
    expect(encryption.primaryKeyId).toBeUndefined()
    expect(() => encryption.encrypt('x', context)).toThrow('no encryption key')
  })

  it('decrypts a value from the first release', () => {
    const encryption = createEncryption([{ id: 'k1', key: createSecretKey(Buffer.alloc(32, 7)) }])
    const encrypted = Buffer.from(
      '01026b31000102030405060708090a0b63a399116e7aae2605d6c7a6c03b03889359d5fa380a184365ab41c7840f973f95860118d46e964493f6d2bf',
      'hex',
    )
    expect(encryption.decrypt(encrypted, context)).toBe('{"password":"correct horse"}')
  })
})
