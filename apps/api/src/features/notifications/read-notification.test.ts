import { expect, it } from 'vitest'
import { type NamedStatement, type Queryable, textOf } from '../../database/database.ts'
import { newUuid, toId } from '../../shared/ids.ts'
import { createCompletions } from '../delivery/completion.ts'
import { createNotificationReader } from './read-notification.ts'

const uuid = newUuid()
const id = toId('notification', uuid)
const principalOf = (userId: string, credentialId: string) => ({ userId, credentialId, rateLimitKey: credentialId, scopes: [] })

/** A reader on a database with one notification, which tells how often it was asked and can be told that it settled. */
const startReader = async () => {
  let status = 'queued'
  let queries = 0
  let announce = (_payload: string) => {}
  const query = async (statement: string | NamedStatement) => {
    queries += 1
    const rows = textOf(statement).includes('from notifications')
      ? [{ id: uuid, project_id: uuid, status, subject: null, created_at: new Date() }]
      : []
    return new Promise((resolve) => setImmediate(resolve, rows))
  }
  const completions = createCompletions({
    listen: async (_channel, heard) => {
      announce = heard
      return async () => {}
    },
  })
  await completions.start()
  return {
    read: createNotificationReader({ database: { query } as Queryable, completions }),
    queries: () => queries,
    settle: () => {
      status = 'sent'
      announce(uuid)
    },
    untilQuiet: async () => {
      for (let before = -1; before !== queries; await new Promise((resolve) => setTimeout(resolve, 10))) before = queries
    },
  }
}

it('is read once for all of a user who wait for it, however many they are', async () => {
  const { read, queries, settle, untilQuiet } = await startReader()
  const gone = new AbortController().signal
  const waits = Array.from({ length: 1_000 }, (_, number) =>
    read(principalOf(number % 2 === 0 ? 'alice' : 'bob', `key ${number % 20}`), id, { waitMs: 60_000, gone }),
  )
  await untilQuiet()
  const before = queries()
  settle()
  const answers = await Promise.all(waits)
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 1_000 }, () => 'sent'))
  // The notification, its deliveries and their attempts, for each of the two users.
  expect(queries() - before).toBeLessThanOrEqual(6)
  expect(before).toBeLessThanOrEqual(2)
})

it('refuses a credential that waits a hundred times already, until one of those is let go of', async () => {
  const { read, queries, settle, untilQuiet } = await startReader()
  const clients = Array.from({ length: 100 }, () => new AbortController())
  const wait = (credentialId: string, gone = new AbortController()) =>
    read(principalOf('alice', credentialId), id, { waitMs: 60_000, gone: gone.signal })
  const waits = clients.map((client) => wait('one', client))
  await untilQuiet()
  await expect(wait('one')).rejects.toMatchObject({ code: 'rate_limited', status: 429, headers: { 'Retry-After': expect.any(String) } })
  const other = wait('another')
  await untilQuiet()

  const before = queries()
  clients[0]?.abort()
  await waits[0]
  expect(queries()).toBe(before)
  const again = wait('one')
  await untilQuiet()
  settle()
  expect((await Promise.all([other, again, ...waits.slice(1)])).map(({ status }) => status)).toEqual(
    Array.from({ length: 101 }, () => 'sent'),
  )
})

it('is read anew after each news, never as it was before', async () => {
  const { read, settle } = await startReader()
  const gone = new AbortController().signal
  const waits = ['one', 'two'].map((credentialId) => read(principalOf('alice', credentialId), id, { waitMs: 60_000, gone }))
  // What they read together is under way, and will say `queued`.
  settle()
  expect((await Promise.all(waits)).map(({ status }) => status)).toEqual(['sent', 'sent'])
})
