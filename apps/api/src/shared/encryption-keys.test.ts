import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { parseEncryptionKeys } from './encryption-keys.ts'

const base64 = (byte: number) => Buffer.alloc(32, byte).toString('base64')

describe('FLOWPOST_ENCRYPTION_KEY', () => {
  it('is parsed into ids and keys, in order', () => {
    const { keys, issues } = parseEncryptionKeys(`new:${base64(1)}, 2026-11:${base64(2).replace('=', '')}`)
    expect(issues).toEqual([])
    expect(keys.map(({ id, key }) => [id, key.export().at(0), key.export().length])).toEqual([
      ['new', 1, 32],
      ['2026-11', 2, 32],
    ])
  })

  it('accepts any 32 bytes unchanged', () => {
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
    [`k 1:${base64(1)}`, 'entry 1: the id must have 1 to 32 characters'],
    [`${'k'.repeat(33)}:${base64(1)}`, 'entry 1: the id must have 1 to 32 characters'],
    [`k1:${base64(1)},k1:${base64(2)}`, 'entry 2: another entry has the same id'],
    [`k1:${Buffer.alloc(31).toString('base64')}`, 'entry 1: the key must be'],
    [`k1:${Buffer.alloc(33).toString('base64')}`, 'entry 1: the key must be'],
    [`k1:${'0'.repeat(64)}`, 'entry 1: the key must be'],
    [`k1:${base64(1)}x`, 'entry 1: the key must be'],
    [`k1:${base64(1).slice(0, 20)} ${base64(1).slice(20)}`, 'entry 1: the key must be'],
  ])('is rejected: %j', (text, issue) => {
    const { issues } = parseEncryptionKeys(text)
    expect(issues).toHaveLength(1)
    expect(issues[0]).toContain(issue)
  })

  it('reports all issues together without repeating a key', () => {
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
