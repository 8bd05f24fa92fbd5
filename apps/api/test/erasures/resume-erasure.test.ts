import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { markAsOfPostgres } from '../../src/database/failures.ts'
import { createRecipients } from '../../src/features/delivery/recipients/recipients.ts'
import { claimErasure, lockErasure, releaseErasure } from '../../src/features/erasures/erasure-queue.ts'
import { createErasureWorker } from '../../src/features/erasures/erasure-worker.ts'
import { personOf, runErasure } from '../../src/features/erasures/run-erasure.ts'
import { createLog } from '../../src/log.ts'
import { systemClock } from '../../src/shared/clock.ts'
import { createEncryption } from '../../src/shared/encryption.ts'
import { toId, type Uuid } from '../../src/shared/ids.ts'
import { openRecipientKey } from '../../src/shared/recipient-key.ts'
import { dump, onDatabase } from '../support/direct-database.ts'
import { openTestDatabase } from '../support/open-database.ts'
import { createFlow, send } from '../support/resources.ts'
import { recordTestEvents, testChannels } from '../support/test-recipients.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const log = pino({ level: 'silent' })
const address = 'bob.person@example.com'
// The number of deliveries: more than one step of an erasure reads.
const sentCount = 130

let server: TestServer
let database: Database

/** Opens the dependencies of a worker whose steps the test runs. */
const openDeps = async () => {
  const key = await openRecipientKey({ database, encryption: createEncryption([]), log })
  return {
    database,
    clock: systemClock,
    channels: testChannels,
    recipients: createRecipients(key, testChannels),
    recordEvents: recordTestEvents,
  }
}

beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_ENCRYPTION_KEY: '', FLOWPOST_RATE_LIMIT: 'off', FLOWPOST_CAPTURE: 'on' } })
  const { project } = await createFlow(server, { override_target: true })
  const send_at = new Date(Date.now() + 3_600_000).toISOString()
  await Promise.all(Array.from({ length: sentCount }, () => send(server, project.id, { target: `${address};other@example.com`, send_at })))
  await server.stop()
  await onDatabase(server.database, (query) =>
    query(`update recipient_keys set is_encrypted = false, key = decode(repeat('01', 32), 'hex')`),
  )
  database = await openTestDatabase(server.database)
  const { recipients } = await openDeps()
  const digest = recipients.identityOfKey('alice', address)
  const { encryption } = recipients
  const id = '01990000-0000-7000-8000-000000000001'
  await database.query(
    `insert into erasures (id, user_id, digest, source_type, block, status, deliveries, created_at, address, due_at, claim)
     values ($1, 'alice', $2, '', false, 'running', 0, now(), $3, now(), 0)`,
    [id, digest, encryption?.encrypt(address, ['erasures', id])],
  )
})
afterAll(async () => {
  await database?.close()
  await server?.[Symbol.asyncDispose]()
})

const readErasure = async () => {
  const [row] = await database.query<{ status: string; deliveries: number; phase: string | null; address: Uint8Array | null }>(
    'select status, deliveries, phase, address from erasures',
  )
  return row
}

// The time is a second ago, because the database rounds times to milliseconds and might round up.
const setDue = () => database.query(`update erasures set due_at = now() - interval '1 second' where due_at is not null`)

describe('an erasure whose process is killed after every step', () => {
  it('is continued by the next process, and counts each delivery once', async () => {
    const deps = await openDeps()
    const phases = new Set<string | null>()
    let claims = 0
    for (let erasure = await claimErasure(database); erasure; erasure = await claimErasure(database)) {
      claims += 1
      const killed = new AbortController()
      const transaction: Database['transaction'] = async (work) => {
        killed.abort()
        return database.transaction(work)
      }
      // The process stops without ending its lease.
      await runErasure({ ...deps, database: { ...database, transaction } }, erasure, personOf(deps, erasure), killed.signal)
      phases.add((await readErasure())?.phase ?? null)
      expect(await claimErasure(database)).toBeUndefined()
      await setDue()
      const next = await claimErasure(database)
      // A process that was considered dead cannot continue.
      expect(await database.transaction((transaction) => lockErasure(transaction, erasure))).toBeUndefined()
      if (next) await releaseErasure(database, next, 0)
      await setDue()
    }
    const afterLog = ['transactions-after-log', 'captured', 'responses', 'events', 'settings', 'history', null]
    expect([...phases]).toEqual(['transactions', 'log', ...afterLog])
    expect(claims).toBeGreaterThan(7)
    expect(await readErasure()).toEqual({ status: 'done', deliveries: sentCount, phase: null, address: null })
    const [counts] = await database.query<{ erased: number; other: number; open: number }>(
      `select count(*) filter (where target like 'erased:%' and status = 'canceled')::int as erased,
         count(*) filter (where target = 'other@example.com' and status = 'queued')::int as other,
         (select count(*)::int from delivery_jobs) as open from deliveries`,
    )
    expect(counts).toEqual({ erased: sentCount, other: sentCount, open: sentCount })
  })

  it('is free for other workers as soon as a worker stops', async () => {
    const deps = await openDeps()
    await database.query(`update erasures set status = 'running', phase = null, position = null, due_at = now(), address = $1`, [
      deps.recipients.encryption?.encrypt(address, ['erasures', '01990000-0000-7000-8000-000000000001']),
    ])
    let stopped: Promise<void> | undefined
    const transaction: Database['transaction'] = async (work) => {
      stopped ??= worker.stop()
      return database.transaction(work)
    }
    const worker = createErasureWorker({ ...deps, database: { ...database, transaction }, log, pollMs: 50 })
    worker.start()
    await expect.poll(() => stopped !== undefined).toBe(true)
    await stopped
    expect(await database.query(`select due_at <= now() as "isFree" from erasures`)).toEqual([{ isFree: true }])
  })

  it("is found by another worker's poll", async () => {
    await database.query(`update erasures set status = 'running', due_at = now() + interval '100 milliseconds', address = $1`, [
      (await openDeps()).recipients.encryption?.encrypt(address, ['erasures', '01990000-0000-7000-8000-000000000001']),
    ])
    const worker = createErasureWorker({ ...(await openDeps()), log, pollMs: 50 })
    worker.start()
    while ((await readErasure())?.status !== 'done') await new Promise((resolve) => setTimeout(resolve, 20))
    await worker.stop()
    await database.close()
    expect((await dump(server.database)).filter((row) => row.toLowerCase().includes(address))).toEqual([])
    database = await openTestDatabase(server.database)
  })
})

describe('an erasure that fails', () => {
  /** Runs a worker whose first transaction fails with `failure`. Returns the level and the reason of its log lines. */
  const logOf = async (failure: Error) => {
    const deps = await openDeps()
    const encrypted = deps.recipients.encryption?.encrypt(address, ['erasures', '01990000-0000-7000-8000-000000000001'])
    await database.query(`update erasures set status = 'running', phase = null, position = null, due_at = now(), address = $1`, [encrypted])
    const lines: { level: string; reason?: string }[] = []
    const destination = new Writable({
      write: (chunk, _encoding, done) => {
        const { level, reason } = JSON.parse(String(chunk))
        lines.push({ level, ...(reason ? { reason } : {}) })
        done()
      },
    })
    const transaction: Database['transaction'] = () => Promise.reject(failure)
    const recorded = createLog({ level: 'debug', destination })
    const worker = createErasureWorker({ ...deps, database: { ...database, transaction }, log: recorded })
    worker.start()
    await expect.poll(() => lines.length).toBe(1)
    await worker.stop()
    return lines
  }

  it('is logged at debug during a PostgreSQL outage, which is logged elsewhere', async () => {
    const outage = markAsOfPostgres(Object.assign(new Error('The connection was lost.'), { code: '57P01' }))
    expect(await logOf(outage)).toEqual([{ level: 'debug' }])
  })

  it('is logged at warn for another reason, without the address', async () => {
    const lines = await logOf(new Error(`invalid value: ${address}`))
    expect(lines).toEqual([{ level: 'warn', reason: expect.stringContaining('invalid value: erased:') }])
  })
})

describe('an erasure that another worker has claimed', () => {
  it('is logged as done by the worker that completed it', async () => {
    const deps = await openDeps()
    const encrypted = deps.recipients.encryption?.encrypt(address, ['erasures', '01990000-0000-7000-8000-000000000001'])
    await database.query(`update erasures set status = 'running', phase = null, position = null, due_at = now(), address = $1`, [encrypted])
    const lines: string[] = []
    const recorded = pino({}, { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) })
    // Another worker claims the erasure after the first step.
    let steps = 0
    const transaction: Database['transaction'] = async (work) => {
      steps += 1
      if (steps === 2) await database.query('update erasures set claim = claim + 1')
      return database.transaction(work)
    }
    const loser = createErasureWorker({ ...deps, database: { ...database, transaction }, log: recorded })
    loser.start()
    await expect.poll(() => steps).toBe(2)
    await loser.stop()
    expect(await readErasure()).toMatchObject({ status: 'running' })
    expect(lines).toEqual([])
    await setDue()
    const winner = createErasureWorker({ ...deps, log: recorded })
    winner.start()
    await expect.poll(() => lines).toEqual(['Erasure done.'])
    await winner.stop()
  })
})

describe('the erasures of several users', () => {
  it('take turns, so that a user who requests many does not delay another', async () => {
    const deps = await openDeps()
    const { encryption } = deps.recipients
    const idOf = (number: number) => `01990000-0000-7000-8000-00000000010${number}`
    for (const [number, user] of ['alice', 'alice', 'alice', 'bob'].entries())
      await database.query(
        `insert into erasures (id, user_id, digest, source_type, block, status, deliveries, created_at, address, due_at, claim)
         values ($1, $2, $3, '', false, 'running', 0, now(), $4, now() - interval '1 minute' + $5::int * interval '1 second', 0)`,
        [
          idOf(number),
          user,
          deps.recipients.identityOfKey(user, address),
          encryption?.encrypt(address, ['erasures', idOf(number)]),
          number,
        ],
      )
    const done: string[] = []
    const recorded = pino({}, { write: (line: string) => void done.push((JSON.parse(line) as { erasure_id: string }).erasure_id) })
    const worker = createErasureWorker({ ...deps, log: recorded })
    worker.start()
    await expect.poll(() => done.length).toBe(4)
    await worker.stop()
    expect(done.map((id) => done.indexOf(id))).toEqual([0, 1, 2, 3])
    expect(done[1]).toBe(toId('erasure', idOf(3) as Uuid))
    await database.query('delete from erasures where id::text >= $1', [idOf(0)])
  })
})
