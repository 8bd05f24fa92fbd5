import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../config/config.ts'
import { parseEncryptionKeys } from './encryption-keys.ts'

const base64 = (byte: number) => Buffer.alloc(32, byte).toString('base64')

describe('FLOWPOST_ENCRYPTION_KEY', () => {
  it('is read as ids with keys, in their order', () => {
    const { keys, faults } = parseEncryptionKeys(`new:${base64(1)}, 2026-11:${base64(2).replace('=', '')}`)
    expect(faults).toEqual([])
    expect(keys.map(({ id, key }) => [id, key.export().at(0), key.export().length])).toEqual([
      ['new', 1, 32],
      ['2026-11', 2, 32],
    ])
  })

  it('takes any 32 bytes and keeps them as they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const { keys } = parseEncryptionKeys(`k:${Buffer.from(bytes).toString('base64')}`)
        expect(keys[0]?.key.export()).toEqual(Buffer.from(bytes))
      }),
    )
  })

  it.each([
    ['', 'entry 1 must be <id>:<base64 of 32 bytes>'],
    [base64(1), 'entry 1 must be <id>:<base64 of 32 bytes>'],
    [`:${base64(1)}`, 'entry 1 must be <id>:<base64 of 32 bytes>'],
    [`k1:${base64(1)},`, 'entry 2 must be <id>:<base64 of 32 bytes>'],
    [`k 1:${base64(1)}`, 'entry 1: the id must be'],
    [`${'k'.repeat(33)}:${base64(1)}`, 'entry 1: the id must be'],
    [`k1:${base64(1)},k1:${base64(2)}`, 'entry 2: the id of another entry is used again'],
    [`k1:${Buffer.alloc(31).toString('base64')}`, 'entry 1: the key must be'],
    [`k1:${Buffer.alloc(33).toString('base64')}`, 'entry 1: the key must be'],
    [`k1:${'0'.repeat(64)}`, 'entry 1: the key must be'],
    [`k1:${base64(1)}x`, 'entry 1: the key must be'],
    [`k1:${base64(1).slice(0, 20)} ${base64(1).slice(20)}`, 'entry 1: the key must be'],
  ])('is refused as %j', (text, fault) => {
    const { faults } = parseEncryptionKeys(text)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toContain(fault)
  })

  it('has every fault told by the configuration at once, and no key repeated', () => {
    const secret = randomBytes(31).toString('base64')
    const read = () => readConfig({ PORT: 'x', FLOWPOST_ENCRYPTION_KEY: `k1:${secret},!:${base64(1)},${secret}` })
    expect(read).toThrow(ConfigError)
    try {
      read()
    } catch (error) {
      const { issues, message } = error as ConfigError
      expect(issues).toHaveLength(4)
      expect(message).not.toContain(secret)
      expect(message).not.toContain(base64(1))
    }
  })
})
