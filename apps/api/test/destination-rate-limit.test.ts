import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../src/database/database.ts'
import { createCircuitBreakers } from '../src/features/delivery/throttle/circuit-breaker.ts'
import { type Deferral, reserveSlots, type Slot, waitForSlot } from '../src/features/delivery/throttle/destination-rate-limit.ts'
import { type ThrottleDeps, throttle } from '../src/features/delivery/throttle/throttle.ts'
import { systemClock } from '../src/shared/clock.ts'
import { newUuid } from '../src/shared/ids.ts'
import { openTestDatabase } from './support/open-database.ts'
import { acquireDatabase } from './support/pooled-database.ts'
import type { TestDatabase } from './support/test-database.ts'

let testDatabase: TestDatabase
let database: Database

beforeAll(async () => {
  testDatabase = await acquireDatabase()
  database = await openTestDatabase(testDatabase)
})
afterAll(async () => {
  await database.close()
  await testDatabase.remove()
})

const reserve = async (destination: string): Promise<Slot | undefined> => {
  const id = newUuid()
  const { slots } = await reserveSlots(database, Math.random, [{ id, destination, deferrals: 0 }])
  return slots.get(id)
}

/** Reserves slots for `count` deliveries. Returns the deferrals of those that may not start now, in the order of their delays. */
const defer = async (destination: string, count: number, deferrals = 0): Promise<Deferral[]> => {
  const deliveries = Array.from({ length: count }, () => ({ id: newUuid(), destination, deferrals }))
  const { deferred } = await reserveSlots(database, Math.random, deliveries)
  return [...deferred.values()].sort((a, b) => a.delayMs - b.delayMs)
}

/** Moves the next slot of a destination into the past, so that the test does not wait for it. */
const advance = (destination: string, ms: number) =>
  database.query(`update destinations set next_at = next_at - $2::int * interval '1 millisecond' where key = $1`, [destination, ms])

/** Sets when a destination's next slot begins and when its last reserved slot ends, in milliseconds from now. */
const setLine = (destination: string, nextMs: number, tailMs: number) =>
  database.query(
    `insert into destinations (key, next_at, tail_at)
     values ($1, now() + $2::int * interval '1 millisecond', now() + $3::int * interval '1 millisecond')
     on conflict (key) do update set next_at = excluded.next_at, tail_at = excluded.tail_at`,
    [destination, nextMs, tailMs],
  )

/** Returns the database's current time, in Unix milliseconds. */
const nowMs = async (): Promise<number> => {
  const [row] = await database.query<{ ms: number }>('select (extract(epoch from now()) * 1000)::float8 as ms')
  return row?.ms ?? Number.NaN
}

const nextSlotMs = async (destination: string): Promise<number> => {
  const [row] = await database.query<{ ms: number }>(
    'select (extract(epoch from next_at) * 1000)::float8 as ms from destinations where key = $1',
    [destination],
  )
  return row?.ms ?? Number.NaN
}

/** Returns the slot as if it had been reserved `ms` milliseconds earlier. */
const reservedEarlier = (slot: Slot, ms: number): Slot => ({ ...slot, reservedMs: slot.reservedMs - ms })

it('returns no slot for another message within a second', async () => {
  expect(await reserve('one')).toBeDefined()
  expect(await reserve('one')).toBeUndefined()
})

it('reserves the next slot a second after a delayed message starts, not after its reservation', async () => {
  const slot = await reserve('delayed')
  if (!slot) throw new Error('There is no slot.')
  await database.query(`update destinations set next_at = now() + interval '300 milliseconds' where key = 'delayed'`)
  const [row] = await database.query<{ next_at: string }>(`select next_at from destinations where key = 'delayed'`)
  const startedMs = await nowMs()
  await waitForSlot(database, reservedEarlier({ ...slot, nextAt: row?.next_at ?? '' }, 760))
  expect((await nextSlotMs('delayed')) - startedMs).toBeGreaterThan(900)
})

it('delays a late message until a second after the message that took its slot', async () => {
  const slot = await reserve('overtaken')
  if (!slot) throw new Error('There is no slot.')
  await advance('overtaken', 2_000)
  // The embedded database's clock counts milliseconds. Two reservations in the same millisecond would look like one.
  await sleep(5)
  expect(await reserve('overtaken')).toBeDefined()
  const turnMs = await nextSlotMs('overtaken')
  await waitForSlot(database, reservedEarlier(slot, 2_000))
  expect(await nowMs()).toBeGreaterThan(turnMs - 10)
  expect((await nextSlotMs('overtaken')) - turnMs).toBeGreaterThan(900)
})

describe('deliveries that find no free slot', () => {
  it('get slots that are a second apart, at most ten minutes ahead', async () => {
    const deferred = await defer('line', 700)
    const reserved = deferred.filter(({ deferrals }) => deferrals === 1)
    const [first, last] = [reserved.at(0)?.delayMs ?? Number.NaN, reserved.at(-1)?.delayMs ?? Number.NaN]
    for (const [position, { delayMs }] of reserved.entries()) expect(delayMs - first).toBeCloseTo(1_060 * position)
    expect(first).toBeLessThanOrEqual(1_060)
    expect(last).toBeGreaterThan(597_000)
    expect(last).toBeLessThan(600_000)
  })

  it('look for a slot again within five to ten minutes when the line is full', async () => {
    await setLine('full', 60_000, 3_600_000)
    const deferred = await defer('full', 100)
    expect(deferred[0]?.delayMs).toBeGreaterThanOrEqual(300_000)
    expect(deferred.at(-1)?.delayMs).toBeLessThanOrEqual(600_000)
    expect(deferred.map(({ deferrals }) => deferrals)).toEqual(Array(100).fill(0))
  })

  it('get a slot as time passes even if an earlier release has reserved slots for a day', async () => {
    await setLine('upgraded', 60_000, 24 * 3_600_000)
    expect(await defer('upgraded', 1)).toMatchObject([{ deferrals: 0 }])
    await database.query(`update destinations set tail_at = tail_at - interval '5 seconds' where key = 'upgraded'`)
    expect(await defer('upgraded', 1)).toMatchObject([{ deferrals: 1 }])
  })

  it('do not wait behind reserved slots that nobody uses', async () => {
    await setLine('idle', -4_000, 500_000)
    const [second] = await defer('idle', 2)
    expect(second?.delayMs).toBeLessThan(2_000)
  })

  it("do not wait for a slot from before the database's clock was set back by hours", async () => {
    await setLine('set-back', 7_200_000, 7_500_000)
    expect(await reserve('set-back')).toBeDefined()
    const [deferral] = await defer('set-back', 1)
    expect(deferral?.delayMs).toBeLessThan(2_000)
  })

  it('wait behind the reserved slots of a destination that is not idle', async () => {
    await setLine('busy', -100, 500_000)
    const [second] = await defer('busy', 2)
    expect(second?.delayMs).toBeGreaterThan(400_000)
  })

  it('compete for the next slot when another delivery took theirs, but only ten times', async () => {
    await setLine('taken', 60_000, 300_000)
    const [next] = await defer('taken', 1, 10)
    expect(next?.delayMs).toBeLessThanOrEqual(60_040)
    expect(next?.deferrals).toBe(11)
    const [last] = await defer('taken', 1, 11)
    expect(last?.delayMs).toBeGreaterThan(200_000)
    expect(last?.deferrals).toBe(1)
  })
})

describe('deliveries whose slot begins now', () => {
  /** Throttles jobs whose reserved slots began `lateMs` milliseconds ago. The destination's next slot begins in a minute. */
  const throttleLate = async (target: string, count: number, lateMs: number) => {
    await setLine(`credential ${target}`, 60_000, 60_000)
    const jobs = Array.from({ length: count }, () => ({
      deliveryId: newUuid(),
      userId: 'alice',
      projectId: newUuid(),
      sourceType: 'slack',
      claim: 1,
      deferrals: 1,
    }))
    await database.query(
      `insert into deliveries (id, notification_id, user_id, project_id, flow_id, source_type, target, status, captured, cancel_requested,
         attempt_count, next_attempt_at, created_at)
       select id, id, 'alice', id, id, 'slack', $2, 'queued', false, false, 0, now() - $3::int * interval '1 millisecond', now()
       from unnest($1::uuid[]) id`,
      [jobs.map(({ deliveryId }) => deliveryId), target, lateMs],
    )
    const deps = {
      database,
      registry: { get: () => ({ kind: 'chat' }) },
      credentials: { find: async () => ({ id: 'credential' }) },
      breakers: createCircuitBreakers(() => 0),
      clock: systemClock,
      random: Math.random,
      retryPolicy: { budgetMs: 60_000 },
    } as unknown as ThrottleDeps
    const { delayed } = await throttle(deps, jobs)
    return delayed.map(({ delayMs, deferrals }) => ({ delayMs, deferrals })).sort((a, b) => a.delayMs - b.delayMs)
  }

  it('compete for the next slot when it is taken', async () => {
    const delayed = await throttleLate('on time', 3, 0)
    expect(delayed).toMatchObject([{ deferrals: 2 }, { deferrals: 2 }, { deferrals: 2 }])
    expect(delayed.at(-1)?.delayMs).toBeLessThanOrEqual(60_040)
  })

  it('get new slots that are a second apart when they are more than two seconds late', async () => {
    const delayed = await throttleLate('late', 3, 3_000)
    expect(delayed).toMatchObject([{ deferrals: 1 }, { deferrals: 1 }, { deferrals: 1 }])
    for (const [position, { delayMs }] of delayed.slice(1).entries()) expect(delayMs - (delayed[position]?.delayMs ?? 0)).toBeCloseTo(1_060)
  })
})
