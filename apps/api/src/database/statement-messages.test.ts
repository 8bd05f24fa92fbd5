import { protocol } from '@electric-sql/pglite'
import { describe, expect, it } from 'vitest'
import { StatementMessages } from './statement-messages.ts'

const { serialize } = protocol
const parse = serialize.parse({ text: 'select $1::int' })
const describeStatement = serialize.describe({ type: 'S' })
const bind = serialize.bind({ values: ['1'] })
const describePortal = serialize.describe({ type: 'P' })
const execute = serialize.execute()
const sync = serialize.sync()

const sentFor = (...given: Uint8Array[]) => {
  const messages = new StatementMessages()
  return given.map((message) => messages.add(message)).map((sent) => sent && Buffer.from(sent))
}

describe('StatementMessages', () => {
  it('sends a statement in two messages, each of which ends with a sync', () => {
    expect(sentFor(parse, describeStatement, bind, describePortal, execute, sync)).toEqual([
      undefined,
      Buffer.concat([parse, describeStatement, sync]),
      undefined,
      undefined,
      Buffer.concat([bind, describePortal, execute, sync]),
      undefined,
    ])
  })

  it('sends a simple query as it is, and no sync after it', () => {
    const begin = serialize.query('BEGIN')
    expect(sentFor(begin, sync)).toEqual([Buffer.from(begin), undefined])
  })

  it('drops the messages of a statement that failed before it was sent', () => {
    expect(sentFor(parse, sync, parse, describeStatement)).toEqual([
      undefined,
      undefined,
      undefined,
      Buffer.concat([parse, describeStatement, sync]),
    ])
  })

  it('rejects messages that it does not know', () => {
    expect(() => sentFor(serialize.flush())).toThrow('protocol message of type H')
  })
})
