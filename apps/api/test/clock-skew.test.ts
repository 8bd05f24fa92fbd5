import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFlowpost } from '@flowpost/client'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { createServerProcess, type ServerProcess, serverEntry } from './crash/processes.ts'
import { childEnvironment } from './support/child-environment.ts'
import { onDatabase } from './support/direct-database.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'

const maxDelayMs = 25_000
const apiKey = 'fp_0123456789abcdefghijklmnopqrstuvwxyz'

const shiftedBy = (shiftMs: number) => ({
  NODE_OPTIONS: `--import=${new URL('./support/shifted-clock.ts', import.meta.url)}`,
  CLOCK_SHIFT_MS: String(shiftMs),
})

describe.skipIf(inject('postgres') === null)('clock skew (needs TEST_DATABASE_URL)', () => {
  let database: TestDatabase
  let server: ServerProcess | undefined

  beforeEach(async () => {
    database = await createTestDatabase()
  })
  afterEach(async () => {
    await server?.kill()
    server = undefined
    await database.remove()
  })

  it.each([
    [300_000, 'ahead of'],
    [-300_000, 'behind'],
  ])('stops the startup when it is %d ms', async (shiftMs, direction) => {
    const child = spawn(process.execPath, [serverEntry], {
      env: { ...childEnvironment, ...database.env, ...shiftedBy(shiftMs), PORT: '0', FLOWPOST_CAPTURE: 'missing' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let printed = ''
    child.stderr.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
    })
    const [code] = await once(child, 'close')
    expect(code).toBe(1)
    expect(printed).toMatch(new RegExp(`^\\nThis machine's clock is (299|300|301)\\.\\d s ${direction} PostgreSQL's clock, more than`))
  })

  it.each([
    [50_000, 'ahead of'],
    [-50_000, 'behind'],
  ])('has no effect on the times of attempts and retries when it is %d ms', async (shiftMs, direction) => {
    // The first attempt at each message is rejected temporarily.
    const seen = new Set<string>()
    await using smtp = await startSmtpSink({
      reply: (_number, { messageId }) => {
        if (seen.has(messageId)) return 'accept'
        seen.add(messageId)
        return { code: 451, text: 'Later.' }
      },
    })
    const env = {
      FLOWPOST_BOOTSTRAP_KEYS: `alice:${apiKey}`,
      FLOWPOST_CAPTURE: 'off',
      FLOWPOST_SMTP_URL: smtp.url,
      FLOWPOST_EMAIL_FROM: 'a@example.com',
      FLOWPOST_RETRY_INITIAL_WAIT_SECONDS: '1',
    }
    server = await createServerProcess({ ...database.env, ...env, ...shiftedBy(shiftMs) })
    await server.start()
    const flowpost = createFlowpost({ baseUrl: server.url, apiKey })
    const project = await flowpost.projects.create({ name: 'p' })
    await flowpost.flows.create(project.id, { name: 'f', source_type: 'smtp', target: 'ops@example.com' })
    const startedAt = Date.now()
    const dueAt = startedAt + 1_500
    const body = { project_id: project.id, subject: 's', message: 'm', send_at: new Date(dueAt).toISOString() }
    const { id, created_at } = await flowpost.notifications.send(body)
    expect(Math.abs(Date.parse(created_at) - startedAt)).toBeLessThan(maxDelayMs)
    // The job is not claimed before it is due by PostgreSQL's clock.
    await onDatabase(database, async (query) => {
      const job = 'select claim, now() < $1::timestamptz as early from delivery_jobs'
      // Each claim increments the number.
      const [unclaimed] = await query<{ claim: number }>(job, [body.send_at])
      for (;;) {
        const [row] = await query<{ claim: number; early: boolean }>(job, [body.send_at])
        if (!row?.early) break
        expect(row.claim).toBe(unclaimed?.claim)
        await sleep(50)
      }
    })
    await smtp.waitForMessages(2)
    await expect.poll(async () => (await flowpost.notifications.get(id)).status).toBe('sent')
    expect((await flowpost.notifications.get(id)).deliveries).toMatchObject([{ attempt_count: 2 }])
    const [first = 0, second = 0] = smtp.received.map(({ at }) => at)
    expect(smtp.received).toHaveLength(2)
    // The upper bounds leave time for a slow machine, and are smaller than the difference between the clocks.
    expect(first - dueAt).toBeGreaterThanOrEqual(-50)
    expect(first - dueAt).toBeLessThan(maxDelayMs)
    expect(second - first).toBeGreaterThan(900)
    expect(second - first).toBeLessThan(maxDelayMs)

    expect(server.output()).toMatch(
      new RegExp(`This machine's clock is (49|50)\\.\\d s ${direction} PostgreSQL's clock. Synchronize them.`),
    )
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    const skew = Number(/^flowpost_clock_skew_seconds (\S+)$/m.exec(metrics)?.[1])
    expect(Math.abs(skew - shiftMs / 1_000)).toBeLessThan(1)
  })
})
