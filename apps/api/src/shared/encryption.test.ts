import { createSecretKey, randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEncryption, SecretUnreadableError, sealingKeyOf } from './encryption.ts'
import type { EncryptionKey } from './encryption-keys.ts'

const key = (id: string): EncryptionKey => ({ id, key: createSecretKey(randomBytes(32)) })
const [one, two] = [key('one'), key('two')]
const place = ['integration', 'project', 'smtp']

const reasonOf = (open: () => unknown): string => {
  try {
    open()
    return 'opened'
  } catch (error) {
    if (error instanceof SecretUnreadableError) return error.reason
    throw error
  }
}

describe('a secret encryption', () => {
  it('opens what it has sealed, whatever the text and the place', () => {
    const encryption = createEncryption([one])
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string()), (text, anywhere) => {
        expect(encryption.open(encryption.seal(text, anywhere), anywhere)).toBe(text)
      }),
    )
  })

  it('opens nothing at another place, even where the parts of both join to the same text', () => {
    const encryption = createEncryption([one])
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (here, there) => {
        fc.pre(JSON.stringify(here) !== JSON.stringify(there))
        expect(reasonOf(() => encryption.open(encryption.seal('x', here), there))).toBe('not_authentic')
      }),
    )
    expect(reasonOf(() => encryption.open(encryption.seal('x', ['ab', 'c']), ['a', 'bc']))).toBe('not_authentic')
  })

  it('opens nothing of which one bit was changed, and nothing that was cut', () => {
    const encryption = createEncryption([one])
    const sealed = encryption.seal('a secret', place)
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(reasonOf(() => encryption.open(changed, place))).not.toBe('opened')
    }
    for (let length = 0; length < sealed.length; length += 1)
      expect(reasonOf(() => encryption.open(sealed.subarray(0, length), place))).not.toBe('opened')
  })

  it('seals the same text differently each time, and shows neither text nor key', () => {
    const encryption = createEncryption([one])
    const sealed = encryption.seal('a secret', place)
    expect(sealed.equals(encryption.seal('a secret', place))).toBe(false)
    expect(sealed.includes('a secret')).toBe(false)
    expect(inspect(one, { depth: 9, showHidden: true })).not.toContain(one.key.export().toString('base64').slice(0, 8))
  })

  it('seals with the first key and opens with all', () => {
    const old = createEncryption([one])
    const both = createEncryption([two, one])
    const sealed = old.seal('x', place)
    expect(both.open(sealed, place)).toBe('x')
    expect([sealingKeyOf(sealed), sealingKeyOf(both.seal('x', place)), both.sealingKeyId]).toEqual(['one', 'two', 'two'])
  })

  it('says that a key is unknown, and that one of the same id is another', () => {
    const sealed = createEncryption([one]).seal('x', place)
    expect(reasonOf(() => createEncryption([two]).open(sealed, place))).toBe('unknown_key')
    expect(reasonOf(() => createEncryption([key('one')]).open(sealed, place))).toBe('not_authentic')
    expect(reasonOf(() => createEncryption([]).open(sealed, place))).toBe('unknown_key')
  })

  it('seals nothing without a key', () => {
    const encryption = createEncryption([])
    expect(encryption.sealingKeyId).toBeUndefined()
    expect(() => encryption.seal('x', place)).toThrow('no key')
  })

  it('reads what the first release has sealed', () => {
    const encryption = createEncryption([{ id: 'k1', key: createSecretKey(Buffer.alloc(32, 7)) }])
    const sealed = Buffer.from(
      '01026b31000102030405060708090a0b63a399116e7aae2605d6c7a6c03b03889359d5fa380a184365ab41c7840f973f95860118d46e964493f6d2bf',
      'hex',
    )
    expect(encryption.open(sealed, place)).toBe('{"password":"correct horse"}')
  })
})
