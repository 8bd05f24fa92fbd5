import { expect, inject, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { createFlow } from './support/resources.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer } from './support/test-server.ts'

const actionCount = Number(process.env['FLOWPOST_CANCELS'] ?? 300)
const messageCount = 40
const concurrency = 16

const deadlocks = 'select deadlocks::int as count from pg_stat_database where datname = current_database()'

// The embedded database runs one transaction at a time, so it has no deadlocks.
it.runIf(inject('postgres'))('cancellations and retries cause no deadlock with attempts', async () => {
  // Most messages are rejected, temporarily or permanently, so deliveries are constantly attempted, retried and failed.
  const replies = [{ code: 550, text: 'No.' }, 'accept', { code: 451, text: 'Later.' }, { code: 550, text: 'No.' }] as const
  await using smtp = await startSmtpSink({ reply: (number) => replies[number % replies.length] ?? 'accept' })
  const env = {
    FLOWPOST_CAPTURE: 'off',
    FLOWPOST_SMTP_URL: smtp.url,
    FLOWPOST_EMAIL_FROM: 'a@example.com',
    FLOWPOST_RATE_LIMIT: 'off',
  }
  const retryPolicy = { initialWaitMs: 5, maxWaitMs: 5, budgetMs: 300 }
  await using server = await startTestServer({ env, retryPolicy })
  const { project } = await createFlow(server, { override_target: true })
  const target = Array.from({ length: 20 }, (_, number) => `r${number}@example.com`).join(';')
  const send = async () => {
    const { json } = await server.request('POST', '/v1/notifications', {
      json: { project_id: project.id, subject: 's', message: 'm', target },
    })
    return json.id as string
  }
  const ids = await Promise.all(Array.from({ length: messageCount }, send))
  let remaining = actionCount
  const statuses = new Map<number, number>()
  const act = async () => {
    while (remaining > 0) {
      remaining -= 1
      const id = ids[Math.floor(Math.random() * ids.length)]
      const action = Math.random() < 0.5 ? 'cancel' : 'retry'
      const { status } = await server.request('POST', `/v1/notifications/${id}/${action}`)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status === 409 && Math.random() < 0.5) ids[Math.floor(Math.random() * ids.length)] = await send()
    }
  }
  await Promise.all(Array.from({ length: concurrency }, act))
  expect([...statuses.keys()].filter((status) => ![200, 202, 409].includes(status))).toEqual([])
  await server.stop()
  const [row] = await onDatabase(server.database, (query) => query<{ count: number }>(deadlocks))
  expect(row).toEqual({ count: 0 })
})
