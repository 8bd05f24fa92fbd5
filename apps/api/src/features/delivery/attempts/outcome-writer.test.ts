import { pino } from 'pino'
import { expect, it, vi } from 'vitest'
import { type NamedStatement, textOf } from '../../../database/database.ts'
import { newUuid } from '../../../shared/ids.ts'
import { createOutcomeWriter, type OutcomeWriterDeps } from './outcome-writer.ts'
import type { FinishedAttempt } from './record-outcomes.ts'

interface StoredOutcome {
  readonly attempt_id: string
  readonly status: string
  readonly provider_message_id: string | null
  readonly provider_response: string
}

/** Creates a writer whose database rejects outcomes that contain `rejectedText`, as PostgreSQL rejects text that it cannot encode. */
const createWriter = (rejectedText: string, outage?: Error) => {
  const recordingFailed = vi.fn()
  const stored: StoredOutcome[] = []
  const query = async (statement: string | NamedStatement, values: readonly unknown[] = []) => {
    if (outage) throw outage
    const text = textOf(statement)
    if (text.includes('for no key update skip locked')) return (values[0] as string[]).map((id) => ({ id }))
    if (!text.includes('recorded as')) return []
    const rows: StoredOutcome[] = JSON.parse(values[1] as string)
    if (rows.some(({ provider_response }) => provider_response.includes(rejectedText)))
      throw Object.assign(new Error('unsupported Unicode escape sequence'), { code: '22P05' })
    stored.push(...rows)
    return rows
  }
  const deps = {
    database: { kind: 'postgres', query, transaction: (work: (transaction: object) => unknown) => work({ query }) },
    clock: { now: () => new Date() },
    logContent: true,
    recipients: { digestOf: () => newUuid() },
    log: pino({ level: 'silent' }),
    deliveryMetrics: { processed: () => {}, attempted: () => {}, settled: () => {}, delivered: () => {}, recordingFailed },
  } as unknown as OutcomeWriterDeps
  return { stored, recordingFailed, writer: createOutcomeWriter(deps) }
}

const sent = (response: string): FinishedAttempt => {
  const attempt = { id: newUuid(), notification_id: newUuid(), attempt_id: newUuid(), flow_id: newUuid(), source_type: 'smtp' }
  const outcome = { status: 'sent', providerMessageId: `<${response}>`, response, kind: 'email' }
  return { attempt, durationMs: 1, outcome } as unknown as FinishedAttempt
}

it("records an outcome without the provider's text when the database rejects that text", async () => {
  const { stored, writer } = createWriter('undecodable')
  const [rejected, accepted] = [sent('undecodable'), sent('250 OK')]
  expect(await Promise.all([writer.record(rejected), writer.record(accepted)])).toEqual([true, true])
  const byAttempt = new Map(stored.map((row) => [row.attempt_id, row]))
  expect(byAttempt.get(rejected.attempt.attempt_id)).toMatchObject({
    status: 'sent',
    provider_message_id: null,
    provider_response: "The provider's response could not be stored.",
  })
  expect(byAttempt.get(accepted.attempt.attempt_id)).toMatchObject({ status: 'sent', provider_response: '250 OK' })
})

it('counts each try that fails because the database is unavailable', async () => {
  const outage = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const { recordingFailed, writer } = createWriter('undecodable', outage)
  const recorded = writer.record(sent('250 OK'))
  await vi.waitFor(() => expect(recordingFailed).toHaveBeenCalledTimes(1))
  expect(writer.isFailing()).toBe(true)
  writer.giveUp()
  expect(await recorded).toBe(false)
})

it('does not count an outcome that the database rejects as a failed try', async () => {
  const { recordingFailed, writer } = createWriter('undecodable')
  expect(await writer.record(sent('undecodable'))).toBe(true)
  expect(recordingFailed).not.toHaveBeenCalled()
})
