import { randomBytes } from 'node:crypto'
import { expect, inject, it } from 'vitest'
import { createServerProcess } from './crash/processes.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { createTestDatabase } from './support/test-database.ts'

const requests = 200

it.runIf(inject('postgres'))(
  '200 requests at once with one idempotency key, over two API processes, are one notification and one delivery',
  async () => {
    await using smtp = await startSmtpSink()
    const database = await createTestDatabase()
    const key = `fp_${randomBytes(24).toString('base64url')}`
    const env = {
      ...database.env,
      FLOWPOST_BOOTSTRAP_KEYS: `alice:${key}`,
      FLOWPOST_SMTP_URL: smtp.url,
      FLOWPOST_EMAIL_FROM: 'noreply@example.com',
      FLOWPOST_CAPTURE: 'off',
    }
    const processes = await Promise.all(['api', 'api', 'worker'].map((FLOWPOST_ROLE) => createServerProcess({ ...env, FLOWPOST_ROLE })))
    const ask = (index: number, method: string, path: string, json?: object, headers: object = {}) =>
      fetch(`${processes[index]?.url}${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
        ...(json ? { body: JSON.stringify(json) } : {}),
      }).then(async (response) => ({
        status: response.status,
        body: (await response.json()) as { id: string; code: string; data: object[] },
      }))
    try {
      await Promise.all(processes.map((each) => each.start()))
      const project = await ask(0, 'POST', '/v1/settings/projects', { name: 'storm' })
      const flow = { name: 'mail', source_type: 'smtp', target: 'ops@example.com' }
      await ask(0, 'POST', `/v1/settings/projects/${project.body.id}/flows`, flow)
      const message = { project_id: project.body.id, subject: 'once', message: 'x' }
      const send = (index: number) => ask(index, 'POST', '/v1/notifications', message, { 'Idempotency-Key': 'storm-1' })
      const answers = await Promise.all(Array.from({ length: requests }, (_, number) => send(number % 2)))

      const accepted = answers.filter(({ status }) => status === 202)
      expect(accepted.length).toBeGreaterThan(0)
      expect(new Set(accepted.map(({ body }) => body.id)).size).toBe(1)
      const others = answers.filter(({ status }) => status !== 202)
      expect(others.filter(({ status, body }) => status !== 409 || body.code !== 'idempotency_in_progress')).toEqual([])
      expect((await ask(1, 'GET', `/v1/notifications/${accepted[0]?.body.id}?wait=30`)).body).toMatchObject({ status: 'sent' })
      expect((await ask(1, 'GET', '/v1/notifications')).body.data).toHaveLength(1)
      expect(smtp.received).toHaveLength(1)
    } finally {
      await Promise.all(processes.map((each) => each.kill()))
      await database.remove()
    }
  },
)
