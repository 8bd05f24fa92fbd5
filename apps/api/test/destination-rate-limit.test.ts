import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '../src/database/database.ts'
import { reserveSlots, type Slot, waitForSlot } from '../src/features/delivery/throttle/destination-rate-limit.ts'
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
  const { slots } = await reserveSlots(database, Math.random, [{ id, destination, hasReservation: false }])
  return slots.get(id)
}

/** Moves the next slot of a destination into the past, so that the test does not wait for it. */
const advance = (destination: string, ms: number) =>
  database.query(`update destinations set next_at = next_at - $2::int * interval '1 millisecond' where key = $1`, [destination, ms])

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
