import { describe, expect, it } from 'vitest'
import type { Io } from '../io.ts'
import { checkConnection, checkEncryption } from './check-server.ts'

const checkReadyz = (body: string, status = 200) => {
  const fetch = async () => new Response(body, { status })
  return checkConnection({ fetch, signal: new AbortController().signal } as unknown as Io, 'https://flowpost.example.com')
}

describe('checkConnection', () => {
  const answers = { check: 'server', status: 'ok', detail: expect.stringMatching(/^https:\S+ answers in \d+ ms$/) }

  it('reports the time in which a server answers', async () => {
    expect(await checkReadyz('ready\n')).toEqual([answers])
  })

  it('finds messages that are on hold, and names FLOWPOST_AFTER_RESTORE', async () => {
    const hold = { check: 'hold', status: 'problem', detail: expect.any(String), action: expect.stringContaining('FLOWPOST_AFTER_RESTORE') }
    const body = 'ready\non hold: no messages are sent, because the database was restored\n'
    expect(await checkReadyz(body)).toEqual([answers, hold])
  })

  it('finds a server that is not ready', async () => {
    expect(await checkReadyz('not ready\n', 503)).toEqual([expect.objectContaining({ check: 'server', status: 'problem' })])
  })
})

it.each([
  ['http://localhost:3000', 0],
  ['http://127.0.0.1:3000', 0],
  ['http://[::1]:3000', 0],
  ['https://flowpost.example.com', 0],
  ['http://flowpost.example.com', 1],
  ['http://127.example.com', 1],
])('for %s returns %d warnings about a connection that is not encrypted', (url, count) => {
  expect(checkEncryption(url)).toHaveLength(count)
})
