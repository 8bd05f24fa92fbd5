import { expect, it } from 'vitest'
import { createServerProcess } from './crash/processes.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { createTestDatabase } from './support/test-database.ts'

const apiKey = 'fp_0123456789abcdefghijklmnopqrstuvwxyz'
const messages = 200
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * The durations, in milliseconds, for which the process is suspended and then runs. The longest suspensions exceed the lease
 * and the send timeout.
 */
const pulses: [suspendedMs: number, runningMs: number][] = [
  ...Array.from({ length: 60 }, (): [number, number] => [400, 100]),
  [25_000, 1_000],
  [25_000, 1_000],
]

it('records every response and sends each message once while the process is suspended repeatedly', async () => {
  const database = await createTestDatabase()
  await using smtp = await startSmtpSink({ reply: () => ({ code: 250, text: 'ok', afterMs: 100 }) })
  const server = await createServerProcess({
    ...database.env,
    FLOWPOST_BOOTSTRAP_KEYS: `alice:${apiKey}`,
    FLOWPOST_RATE_LIMIT: 'off',
    FLOWPOST_CAPTURE: 'off',
    FLOWPOST_SMTP_URL: smtp.url,
    FLOWPOST_EMAIL_FROM: 'a@example.com',
  })
  const request = async (method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${apiKey}`, ...(body ? { 'Content-Type': 'application/json' } : {}) }
    const response = await fetch(server.url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    // biome-ignore lint/suspicious/noExplicitAny: tests read any JSON response.
    return (await response.json()) as any
  }
  try {
    await server.start()
    const project = await request('POST', '/v1/settings/projects', { name: 'p' })
    await request('POST', `/v1/settings/projects/${project.id}/flows`, { name: 'f', source_type: 'smtp', target: 'ops@example.com' })
    const ids: string[] = []
    const sending = (async () => {
      for (let number = 0; number < messages; number += 1) {
        ids.push((await request('POST', '/v1/notifications', { project_id: project.id, subject: `n${number}.`, message: 'm' })).id)
        await pause(20)
      }
    })()
    for (const [suspendedMs, runningMs] of pulses) {
      server.signal('SIGSTOP')
      await pause(suspendedMs)
      server.signal('SIGCONT')
      await pause(runningMs)
    }
    await sending
    for (const id of ids) {
      const json = await request('GET', `/v1/notifications/${id}?wait=20`)
      expect(json).toMatchObject({ status: 'sent', deliveries: [{ attempt_count: 1, attempts: [{ outcome: 'sent' }] }] })
    }
    expect(smtp.received).toHaveLength(messages)
  } finally {
    await server.kill()
    await database.remove()
  }
})
