import { expect, it } from 'vitest'
import { createFlow, readCompleted, send, waitForDeliveryStatus } from './support/resources.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer } from './support/test-server.ts'

it('sends few probes during a provider outage, and every message after the outage', async () => {
  const stoppedSink = await startSmtpSink()
  const port = Number(new URL(stoppedSink.url).port)
  await stoppedSink[Symbol.asyncDispose]()
  await using server = await startTestServer({
    retryPolicy: { initialWaitMs: 50, maxWaitMs: 100, budgetMs: 600_000 },
    env: { FLOWPOST_SMTP_URL: stoppedSink.url, FLOWPOST_EMAIL_FROM: 'noreply@example.com' },
  })
  const { project } = await createFlow(server)
  const sent = await Promise.all(Array.from({ length: 20 }, () => send(server, project.id)))
  await waitForDeliveryStatus(server, sent[0].id, 'retrying')
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const attempts = async () => {
    const { json } = await server.request('GET', `/v1/notifications?project_id=${project.id}`)
    return json.data.reduce(
      (sum: number, { deliveries }: { deliveries: { attempt_count: number }[] }) => sum + (deliveries[0]?.attempt_count ?? 0),
      0,
    )
  }
  // Without the circuit breaker, there would be about 30 attempts for each of the 20 messages.
  expect(await attempts()).toBeLessThan(60)

  await using smtp = await startSmtpSink({ port })
  for (const { id } of sent) expect((await readCompleted(server, id)).status).toBe('sent')
  expect(smtp.received).toHaveLength(20)
})
