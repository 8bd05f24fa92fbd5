import { describe, expect, it } from 'vitest'
import { untilAvailable } from './until-available.ts'

const errorOf = (code: string, message: string) => Object.assign(new Error(message), { code })
const connectionRefused = errorOf('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432')

const failing = (error: Error, times = Number.POSITIVE_INFINITY) => {
  let calls = 0
  return async () => {
    calls += 1
    if (calls <= times) throw error
    return 'open'
  }
}

it('opens a database that becomes available late, and logs the wait', async () => {
  const logged: string[] = []
  const log = { warn: (_details: object, text: string) => logged.push(text) } as never
  expect(await untilAvailable(failing(connectionRefused, 2), { waitMs: 5_000, retryAfterMs: 10, log })).toBe('open')
  expect(logged).toEqual(['PostgreSQL cannot be reached yet; retrying.'])
})

describe('a database that stays unreachable', () => {
  const silent = { warn: () => {} } as never

  it('stops the start with the duration and the cause', async () => {
    let nowMs = 0
    const open = async () => {
      nowMs += 45_000
      throw connectionRefused
    }
    await expect(untilAvailable(open, { waitMs: 60_000, retryAfterMs: 0, log: silent, nowMs: () => nowMs })).rejects.toThrow(
      'PostgreSQL could not be reached for 90 s: connect ECONNREFUSED 127.0.0.1:5432. Start it, or check DATABASE_URL.',
    )
  })

  it('may stay so for `waitMs` after each lost connection, however long that connection was used', async () => {
    let nowMs = 0
    let calls = 0
    const open = async (onConnected: () => void) => {
      calls += 1
      if (calls % 2 === 1) onConnected()
      nowMs += calls % 2 === 1 ? 3_600_000 : 50_000
      if (calls < 5) throw connectionRefused
      return 'open'
    }
    expect(await untilAvailable(open, { waitMs: 60_000, retryAfterMs: 0, log: silent, nowMs: () => nowMs })).toBe('open')
  })

  it('stops the start after the sixth lost connection, because a migration may cause the losses', async () => {
    let nowMs = 0
    let calls = 0
    const open = async (onConnected: () => void) => {
      calls += 1
      onConnected()
      nowMs += 20_000
      throw connectionRefused
    }
    await expect(untilAvailable(open, { waitMs: 60_000, retryAfterMs: 0, log: silent, nowMs: () => nowMs })).rejects.toThrow(
      'The connection to PostgreSQL was lost 6 times: connect ECONNREFUSED 127.0.0.1:5432. Check the PostgreSQL log for the cause.',
    )
    expect(calls).toBe(6)
  })

  it('stops the start after a lost connection with the duration since then', async () => {
    let nowMs = 0
    const open = async (onConnected: () => void) => {
      if (nowMs === 0) onConnected()
      nowMs += nowMs === 0 ? 3_600_000 : 70_000
      throw connectionRefused
    }
    await expect(untilAvailable(open, { waitMs: 60_000, retryAfterMs: 0, log: silent, nowMs: () => nowMs })).rejects.toThrow(
      'PostgreSQL could not be reached for 70 s: ',
    )
  })
})

it('does not retry without the password that PostgreSQL requires', async () => {
  const error = new Error('client password must be a string')
  const opening = untilAvailable(failing(error), { waitMs: 60_000, log: { warn: () => {} } as never })
  await expect(opening).rejects.toThrow('PostgreSQL requires a password. Add it to DATABASE_URL, or set PGPASSWORD.')
})

it.each([
  ['28P01', 'password authentication failed for user "flowpost"', 'PostgreSQL rejects the user or password in DATABASE_URL: '],
  ['3D000', 'database "flowpost" does not exist', 'The database in DATABASE_URL does not exist: '],
  ['3F000', 'no schema has been selected to create in', 'The database has no schema for the tables of Flowpost: '],
  ['42501', 'permission denied for schema public', 'The user in DATABASE_URL lacks a privilege: '],
  ['08P01', 'unsupported startup parameter: options', 'The pooler in DATABASE_URL rejects the connection: '],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain', 'The TLS connection to PostgreSQL failed: '],
])('does not retry after %s', async (code, message, start) => {
  const opening = untilAvailable(failing(errorOf(code, message)), { waitMs: 60_000, log: { warn: () => {} } as never })
  await expect(opening).rejects.toThrow(`${start}${message}`)
})
