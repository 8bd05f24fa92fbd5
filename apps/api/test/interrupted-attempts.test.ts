import { describe, expect, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { type SmtpSinkOptions, startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer } from './support/test-server.ts'

// Creates the rows that remain when a process is killed during an attempt, $1 times in a row.
const interruptAttempts = `with killed as (
    update deliveries set status = 'sending', attempt_id = gen_random_uuid(), attempt_count = attempt_count + $1,
      first_attempt_at = now(), next_attempt_at = null
    returning id, attempt_id
  ), notified as (update notifications set status = 'sending'), due as (
    update delivery_jobs set due_at = now(), leased = false
  )
  insert into attempts (id, delivery_id, number, started_at, outcome)
  select case when number = $1 then attempt_id else gen_random_uuid() end, id, number, now(),
    case when number = $1 then 'sending' else 'ambiguous' end
  from killed cross join generate_series(1, $1::int) as number`

interface Interruption {
  readonly env?: Record<string, string>
  readonly budgetMs?: number
  /** SQL that changes the rows before the restart. */
  readonly change?: string
  readonly reply?: SmtpSinkOptions['reply']
}

/** Starts a server with one message that was interrupted in `times` attempts. */
const startInterrupted = async (times: number, { env = {}, budgetMs = 60_000, change, reply }: Interruption = {}) => {
  const smtp = await startSmtpSink(reply ? { reply } : {})
  const providers = {
    FLOWPOST_CAPTURE: 'off',
    FLOWPOST_SMTP_URL: smtp.url,
    FLOWPOST_EMAIL_FROM: 'a@example.com',
    ...env,
  }
  const before = await startTestServer({ env: providers })
  const { project } = await createFlow(before)
  const { id } = await send(before, project.id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  await before.stop()
  await onDatabase(before.database, async (query) => {
    await query(interruptAttempts, [times])
    if (change !== undefined) await query(change)
  })
  const server = await before.restart({ env: providers, retryPolicy: { initialWaitMs: 20, maxWaitMs: 20, budgetMs } })
  const attempts = async () => {
    const { json } = await server.request('GET', `/v1/notifications/${id}`)
    return json.deliveries[0].attempts.map(({ outcome }: { outcome: string }) => outcome)
  }
  return {
    smtp,
    server,
    readCompleted: () => readCompleted(server, id),
    attempts,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await smtp[Symbol.asyncDispose]()
    },
  }
}

describe('a message whose process was killed during an attempt', () => {
  it('is sent again immediately', async () => {
    await using message = await startInterrupted(1)
    expect((await message.readCompleted()).status).toBe('sent')
    expect(await message.attempts()).toEqual(['ambiguous', 'sent'])
  })

  it('is sent again only after a wait when this was the second kill, since the message may be the cause', async () => {
    await using message = await startInterrupted(2)
    expect((await message.readCompleted()).status).toBe('sent')
    expect(await message.attempts()).toEqual(['ambiguous', 'retrying', 'sent'])
  })

  it('fails when the retry budget is exhausted', async () => {
    await using message = await startInterrupted(3, { budgetMs: 0 })
    const { deliveries } = await message.readCompleted()
    expect(deliveries[0]).toMatchObject({ status: 'failed', failure: { kind: 'ambiguous', code: 'interrupted' } })
    expect(message.smtp.received).toEqual([])
  })

  it('is canceled when its project was deleted meanwhile', async () => {
    await using message = await startInterrupted(1, { change: 'update deliveries set cancel_requested = true' })
    expect((await message.readCompleted()).status).toBe('canceled')
    expect(message.smtp.received).toEqual([])
  })

  it('becomes ambiguous with FLOWPOST_AMBIGUOUS=hold, and is sent when a user retries it', async () => {
    await using message = await startInterrupted(1, { env: { FLOWPOST_AMBIGUOUS: 'hold' } })
    const { id, deliveries } = await message.readCompleted()
    expect(deliveries[0]).toMatchObject({ status: 'ambiguous', failure: { kind: 'ambiguous', code: 'interrupted' } })
    expect(message.smtp.received).toEqual([])
    expect((await message.server.request('POST', `/v1/notifications/${id}/retry`)).status).toBe(202)
    expect((await message.readCompleted()).status).toBe('sent')
    expect(await message.attempts()).toEqual(['ambiguous', 'sent'])
  })

  it('is attempted several times after a user retries it, even if an unfinished deletion had disabled its retries', async () => {
    await using message = await startInterrupted(1, {
      env: { FLOWPOST_AMBIGUOUS: 'hold' },
      change: 'update deliveries set cancel_requested = true',
      reply: (number) => (number === 1 ? { code: 451, text: 'Later.' } : 'accept'),
    })
    const { id, status } = await message.readCompleted()
    expect(status).toBe('failed')
    expect((await message.server.request('POST', `/v1/notifications/${id}/retry`)).status).toBe(202)
    expect((await message.readCompleted()).status).toBe('sent')
  })

  it('is captured again with FLOWPOST_AMBIGUOUS=hold, since a captured message cannot have been sent', async () => {
    await using message = await startInterrupted(1, { env: { FLOWPOST_AMBIGUOUS: 'hold', FLOWPOST_CAPTURE: 'on' } })
    expect((await message.readCompleted()).deliveries[0]).toMatchObject({ status: 'sent', captured: true })
    expect(await message.attempts()).toEqual(['retrying', 'captured'])
  })
})
