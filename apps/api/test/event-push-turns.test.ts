import { type Clock, systemClock } from '@flowpost/delivery'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../src/database/database.ts'
import { insertEvents } from '../src/features/events/event.queries.ts'
import { notifyEvents } from '../src/features/events/event-wakes.ts'
import { completeBefore } from '../src/features/events/position.ts'
import { maxTurnMs } from '../src/features/events/push/push-slots.ts'
import { createPushWorker, type PushWorker, type PushWorkerDeps } from '../src/features/events/push/push-worker.ts'
import type { PushResult } from '../src/features/events/push/send-event.ts'
import { newUuid, type Uuid } from '../src/shared/ids.ts'
import { openTestDatabase } from './support/open-database.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'

const success = (): PushResult => ({ startedAt: new Date(), durationMs: 1, status: 204, failure: null })
const never = new Promise<PushResult>(() => {})

interface Project {
  readonly id: Uuid
  readonly userId: string
}

let testDatabase: TestDatabase
let database: Database
let worker: PushWorker | undefined
/** The ids of the events that were sent to each endpoint, in order. */
let sent: { readonly endpoint: Uuid; readonly event: Uuid }[]
/** The callbacks that end the current turns. */
let turnTimers: Set<() => void>
let reply: (endpoint: Uuid, event: Uuid) => Promise<PushResult>

beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = await openTestDatabase(testDatabase)
  sent = []
  turnTimers = new Set()
  reply = async () => success()
})
afterEach(async () => {
  // `stop` waits for all requests. If a test has used the reply `never`, `stop` never resolves.
  await Promise.race([worker?.stop(0), new Promise((resolve) => setTimeout(resolve, 200))])
  worker = undefined
  await database.close()
  await testDatabase.remove()
})

/** Ends turns only when the test calls `endTurns`. Other timers run as usual. */
const setTimer: Clock['setTimer'] = (callback, delayMs) => {
  if (delayMs !== maxTurnMs) return systemClock.setTimer(callback, delayMs)
  turnTimers.add(callback)
  return () => turnTimers.delete(callback)
}

const endTurns = (): void => {
  for (const end of turnTimers) end()
  turnTimers.clear()
}

const startWorker = (slots: PushWorkerDeps['slots']): void => {
  worker = createPushWorker({
    database,
    log: pino({ level: 'silent' }),
    random: () => 0,
    retryPolicy: { initialWaitMs: 1, maxWaitMs: 1, budgetMs: 60_000 },
    countPush: () => {},
    setTimer,
    ...(slots ? { slots } : {}),
    sendEvent: ({ id: endpoint }, { id: event }) => {
      sent.push({ endpoint, event })
      return reply(endpoint, event)
    },
  })
  worker.start()
}

const createProject = async (userId: string): Promise<Project> => {
  const id = newUuid()
  await database.query(`insert into projects (id, user_id, name, created_at, updated_at) values ($1, $2, $3, now(), now())`, [
    id,
    userId,
    id,
  ])
  return { id, userId }
}

const createEndpoint = async ({ id: projectId, userId }: Project, health = 'unknown'): Promise<Uuid> => {
  const id = newUuid()
  await database.query(
    `insert into event_endpoints (id, project_id, user_id, url, events, active, description, secrets, created_at, updated_at,
       cursor_position, cursor_id, health_status)
     values ($1, $2, $3, 'https://example.com', '{notification.settled}', true, '', '', now(), now(), 0, $1, $4)`,
    [id, projectId, userId, health],
  )
  return id
}

/**
 * Stores events in a project, and returns their ids once the events are readable. Open transactions of other tests can delay
 * that.
 */
const createEvents = async ({ id: projectId, userId }: Project, count: number): Promise<Uuid[]> => {
  const events = Array.from({ length: count }, () => ({
    id: newUuid(),
    userId,
    projectId,
    type: 'notification.settled' as const,
    data: '{}',
  }))
  await database.transaction(async (transaction) => {
    await insertEvents(transaction, events, new Date())
    await notifyEvents(transaction, events)
  })
  const ids = events.map(({ id }) => id)
  const isReadable = `select count(*)::int as count from events where id = any($1::uuid[]) and position < ${completeBefore}`
  await expect.poll(async () => (await database.query<{ count: number }>(isReadable, [ids]))[0]?.count).toBe(count)
  return ids
}

const sentTo = (endpoint: Uuid): Uuid[] => sent.filter((request) => request.endpoint === endpoint).map(({ event }) => event)
const untilSent = (endpoint: Uuid, events: readonly Uuid[]) => expect.poll(() => sentTo(endpoint), { timeout: 50_000 }).toEqual(events)
const untilCount = (count: number) => expect.poll(() => sent.length, { timeout: 50_000 }).toBe(count)

describe('while more endpoints stall on their first request than there are slots', () => {
  const slots = { healthy: 2, unknown: 2, failing: 2 }
  let stalled: Project

  beforeEach(async () => {
    for (let projects = 0; projects < 2; projects += 1) {
      stalled = await createProject('alice')
      for (let count = 0; count < 8; count += 1) await createEndpoint(stalled)
      await createEvents(stalled, 1)
    }
    reply = () => never
    startWorker(slots)
    await untilCount(slots.unknown)
  })

  it('an endpoint that works receives its events at once', async () => {
    const project = await createProject('alice')
    const working = await createEndpoint(project, 'healthy')
    reply = (endpoint) => (endpoint === working ? Promise.resolve(success()) : never)
    await untilSent(working, await createEvents(project, 3))
    expect(sent).toHaveLength(slots.unknown + 3)
  })

  it.each([
    ['of another user', 'bob'],
    ['of another project', 'alice'],
  ])('a new endpoint %s has the next turn', async (_, userId) => {
    const project = await createProject(userId)
    const added = await createEndpoint(project)
    reply = (endpoint) => (endpoint === added ? Promise.resolve(success()) : never)
    const events = await createEvents(project, 1)
    endTurns()
    await untilSent(added, events)
    expect(sent.length).toBeLessThanOrEqual(2 * slots.unknown + 1)
  })

  it('the number of requests in flight is limited', async () => {
    for (let turns = 2; turns <= 8; turns += 1) {
      endTurns()
      await untilCount(turns * slots.unknown)
    }
    const more = await createProject('bob')
    for (let count = 0; count < 8; count += 1) await createEndpoint(more)
    await createEvents(more, 1)
    endTurns()
    await untilCount(9 * slots.unknown)
    endTurns()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(sent).toHaveLength(9 * slots.unknown)
  })
})

describe('when the turn of an endpoint with a backlog is over', () => {
  const slots = { healthy: 1, unknown: 1, failing: 1 }

  it('a waiting endpoint has its turn, and every event arrives once and in order', async () => {
    const [project, other] = [await createProject('alice'), await createProject('alice')]
    const backlogged = await createEndpoint(project, 'healthy')
    const waiting = await createEndpoint(other, 'healthy')
    const events = await createEvents(project, 60)
    let otherEvents: Uuid[] = []
    reply = async (_, event) => {
      if (event === events[30]) {
        otherEvents = await createEvents(other, 2)
        endTurns()
      }
      return success()
    }
    startWorker(slots)
    await untilSent(backlogged, events)
    expect(sentTo(waiting)).toEqual(otherEvents)
    const order = sent.map(({ event }) => event)
    expect(order.indexOf(otherEvents[0] as Uuid)).toBe(31)
  })

  it('at least one event is sent in each turn', async () => {
    const project = await createProject('alice')
    const endpoint = await createEndpoint(project, 'healthy')
    const events = await createEvents(project, 5)
    const timer = setInterval(endTurns, 1)
    startWorker(slots)
    await untilSent(endpoint, events).finally(() => clearInterval(timer))
  })

  it('a response after the end of the turn is accepted, and only then is the next event sent', async () => {
    const project = await createProject('alice')
    const endpoint = await createEndpoint(project, 'healthy')
    const events = await createEvents(project, 3)
    const { promise, resolve } = Promise.withResolvers<PushResult>()
    reply = async (_, event) => (event === events[0] ? promise : success())
    startWorker(slots)
    await untilSent(endpoint, events.slice(0, 1))
    endTurns()
    await new Promise((wait) => setTimeout(wait, 200))
    expect(sent).toHaveLength(1)
    resolve(success())
    await untilSent(endpoint, events)
  })
})
