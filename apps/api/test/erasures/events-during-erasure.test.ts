import { Client } from 'pg'
import { expect, inject, it } from 'vitest'
import { type Database, type NamedStatement, textOf } from '../../src/database/database.ts'
import { findReceiptDelivery, recordReceipt } from '../../src/features/delivery/receipts/record-receipt.ts'
import { claimErasure } from '../../src/features/erasures/erasure-queue.ts'
import { runErasure } from '../../src/features/erasures/run-erasure.ts'
import { fromId, newUuid, type Uuid } from '../../src/shared/ids.ts'
import { createEndpoint, eventEnv } from '../support/event-endpoints.ts'
import { openTestDatabase } from '../support/open-database.ts'
import { createFlow, readCompleted, send } from '../support/resources.ts'
import { testRecipients } from '../support/test-recipients.ts'
import { startTestServer } from '../support/test-server.ts'
import { erasedPerson, erasureDeps } from './erased-person.ts'

const address = 'bob@example.com'

it.runIf(inject('postgres'))('an event that is stored during an erasure does not contain the address (needs PostgreSQL)', async () => {
  await using server = await startTestServer({ env: { ...eventEnv, FLOWPOST_CAPTURE: 'on' } })
  const { project } = await createFlow(server, { target: 'ops@example.com' })
  await createEndpoint(server, project.id, { events: ['delivery.receipt'] })
  const sent = await send(server, project.id, { reference: address, metadata: { customer: address } })
  const { deliveries } = await readCompleted(server, sent.id)
  await server.stop()
  const database = await openTestDatabase(server.database)
  const client = new Client({ connectionString: server.database.url })
  await client.connect()
  try {
    const delivery = await findReceiptDelivery(database, fromId('delivery', deliveries[0].id) as Uuid)
    if (!delivery) throw new Error('The delivery is missing.')
    const query = async (statement: string | NamedStatement, values: readonly unknown[] = []) =>
      (await client.query(textOf(statement), [...values])).rows
    const receipt = { status: 'delivered', at: new Date().toISOString(), code: null, detail: null } as const
    const person = erasedPerson(address)
    const id = newUuid()
    await database.query(
      `insert into erasures (id, user_id, digest, source_type, block, status, deliveries, created_at, address, due_at, claim)
       values ($1, 'alice', $2, '', false, 'running', 0, now(), $3, now() - interval '1 second', 0)`,
      [id, person.digest, testRecipients.encryption?.encrypt(address, ['erasures', id])],
    )
    const erasure = await claimErasure(database)
    if (!erasure) throw new Error('The erasure is missing.')
    // A receipt is being recorded for another recipient's delivery when the erasure of the log starts, and stays uncommitted.
    let isRecording = false
    const transaction: Database['transaction'] = async (work) => {
      const [row] = await database.query<{ phase: string | null }>('select phase from erasures')
      if (row?.phase === 'log' && !isRecording) {
        isRecording = true
        await client.query('begin')
        expect(await recordReceipt({ query, invalidate: () => {} } as never, erasureDeps, delivery, receipt)).toBe(true)
      }
      return database.transaction(work)
    }
    const run = () => runErasure({ ...erasureDeps, database: { ...database, transaction } }, erasure, person, new AbortController().signal)
    expect(await run()).toBe('paused')
    const notifications = await database.query<{ reference: string }>('select reference from notifications')
    expect(notifications).toEqual([{ reference: person.replacement }])
    await client.query('commit')
    await expect.poll(run).toBe('done')
    const events = await database.query<{ data: string }>('select data from events')
    expect(events).toEqual([{ data: expect.stringContaining(person.replacement) }])
    expect(events[0]?.data).not.toContain(address)
  } finally {
    await client.end()
    await database.close()
  }
})
