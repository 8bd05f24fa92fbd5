import { expect, it } from 'vitest'
import { type NamedStatement, type Queryable, textOf } from '../../database/database.ts'
import { newUuid, toId, type Uuid } from '../../shared/ids.ts'
import { createWaitLimit } from '../../shared/wait-limit.ts'
import { createCompletions } from '../delivery/completion-watch.ts'
import { createNotificationReader } from './read-notification.ts'

const uuid = newUuid()
const id = toId('notification', uuid)
const projectId = newUuid()
const principalOf = (userId: string, credentialId: string) => ({
  userId,
  credentialId,
  rateLimitKey: credentialId,
  scopes: [],
  mode: 'live' as const,
})

/**
 * Starts a reader on a database with one notification. Also returns functions that count the queries and complete the
 * notification.
 */
const startReader = async () => {
  let status = 'queued'
  let queries = 0
  let publish = (_payload: string) => {}
  const query = async (statement: string | NamedStatement, values: readonly unknown[] = []) => {
    queries += 1
    const isVisible = textOf(statement).includes('from notifications') && [null, projectId].includes(values[2] as string | null)
    const rows = isVisible ? [{ id: uuid, project_id: projectId, status, subject: null, created_at: new Date(), expires_at: null }] : []
    return new Promise((resolve) => setImmediate(resolve, rows))
  }
  const completions = createCompletions({
    listen: async (_channel, listener) => {
      publish = listener
      return async () => {}
    },
  })
  await completions.start()
  return {
    read: createNotificationReader({ database: { query } as Queryable, completions, limitWaits: createWaitLimit() }),
    queries: () => queries,
    complete: () => {
      status = 'sent'
      publish(uuid)
    },
    untilQuiet: async () => {
      for (let before = -1; before !== queries; await new Promise((resolve) => setTimeout(resolve, 10))) before = queries
    },
  }
}

it('shares each read among all waiting requests of a user', async () => {
  const { read, queries, complete, untilQuiet } = await startReader()
  const disconnected = new AbortController().signal
  const waits = Array.from({ length: 1_000 }, (_, number) =>
    read(principalOf(number % 2 === 0 ? 'alice' : 'bob', `key ${number % 20}`), id, { waitMs: 60_000, disconnected }),
  )
  await untilQuiet()
  const before = queries()
  complete()
  const responses = await Promise.all(waits)
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 1_000 }, () => 'sent'))
  // Three queries for each of the two users: the notification, its deliveries and their attempts.
  expect(queries() - before).toBeLessThanOrEqual(6)
  expect(before).toBeLessThanOrEqual(2)
})

it('rejects the 101st waiting request of a credential until another request ends', async () => {
  const { read, queries, complete, untilQuiet } = await startReader()
  const clients = Array.from({ length: 100 }, () => new AbortController())
  const wait = (credentialId: string, connection = new AbortController()) =>
    read(principalOf('alice', credentialId), id, { waitMs: 60_000, disconnected: connection.signal })
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
  complete()
  expect((await Promise.all([other, again, ...waits.slice(1)])).map(({ status }) => status)).toEqual(
    Array.from({ length: 101 }, () => 'sent'),
  )
})

it('never returns the result of a read that started before the completion', async () => {
  const { read, complete } = await startReader()
  const disconnected = new AbortController().signal
  const waits = ['one', 'two'].map((credentialId) => read(principalOf('alice', credentialId), id, { waitMs: 60_000, disconnected }))
  // Their shared read is in progress and will return `queued`.
  complete()
  expect((await Promise.all(waits)).map(({ status }) => status)).toEqual(['sent', 'sent'])
})

it('does not share reads among credentials that are bound to different projects, or to none', async () => {
  const { read, complete } = await startReader()
  complete()
  const boundTo = (project?: Uuid) => ({ ...principalOf('alice', 'one'), ...(project && { projectId: project }) })
  const options = { waitMs: 60_000, disconnected: new AbortController().signal }
  const [unbound, bound, foreign] = await Promise.allSettled(
    [boundTo(), boundTo(projectId), boundTo(newUuid())].map((principal) => read(principal, id, options)),
  )
  expect([unbound, bound]).toMatchObject(Array(2).fill({ status: 'fulfilled', value: { status: 'sent' } }))
  expect(foreign).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } })
})
