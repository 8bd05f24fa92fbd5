import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '../src/database/database.ts'
import { openEmbedded } from '../src/database/embedded.ts'
import { openPostgres } from '../src/database/postgres.ts'
import { entities } from '../src/entities.ts'
import { reserveSlots, type Slot, waitForSlot } from '../src/features/delivery/throttle/destination-rate-limit.ts'
import { newUuid } from '../src/shared/ids.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'

let test: TestDatabase
let database: Database & { close(): Promise<void> }

beforeAll(async () => {
  test = await createTestDatabase()
  database =
    test.url === undefined
      ? await openEmbedded({ entities, dataDir: test.dataDir })
      : await openPostgres({ entities, url: test.url, poolSize: 3, log: pino({ level: 'silent' }) })
})
afterAll(async () => {
  await database.close()
  await test.remove()
})

const reserve = async (destination: string): Promise<Slot | undefined> => {
  const id = newUuid()
  const { slots } = await reserveSlots(database, Math.random, [{ id, destination, wasRescheduled: false }])
  return slots.get(id)
}

/** Turns back the time at a destination, so that no test waits for a second to be over. */
const pass = (destination: string, ms: number) =>
  database.query(`update destinations set next_at = next_at - $2::int * interval '1 millisecond' where key = $1`, [destination, ms])

const untilNextMs = async (destination: string): Promise<number> => {
  const [row] = await database.query<{ ms: number }>(
    `select (extract(epoch from next_at - now()) * 1000)::float8 as ms from destinations where key = $1`,
    [destination],
  )
  return row?.ms ?? Number.NaN
}

/** As it is when the process was busy for so long since it reserved. */
const late = (slot: Slot, ms: number): Slot => ({ ...slot, reservedMs: slot.reservedMs - ms })

it('a second message is put off for a second', async () => {
  expect(await reserve('one')).toBeDefined()
  expect(await reserve('one')).toBeUndefined()
})

it('the second counts from the start of a message that was held up, not from its reservation', async () => {
  const first = await reserve('held up')
  if (!first) throw new Error('There is no slot.')
  await database.query(`update destinations set next_at = now() + interval '300 milliseconds' where key = 'held up'`)
  const [row] = await database.query<{ next_at: string }>(`select next_at from destinations where key = 'held up'`)
  await waitForSlot(database, late({ ...first, nextAt: row?.next_at ?? '' }, 760))
  expect(await untilNextMs('held up')).toBeGreaterThan(900)
})

it('one that was held up so long that another has come in between waits for its turn after that', async () => {
  const first = await reserve('overtaken')
  if (!first) throw new Error('There is no slot.')
  await pass('overtaken', 2_000)
  expect(await reserve('overtaken')).toBeDefined()
  const startedAt = performance.now()
  await waitForSlot(database, late(first, 2_000))
  expect(performance.now() - startedAt).toBeGreaterThan(500)
  expect(await untilNextMs('overtaken')).toBeGreaterThan(900)
})
