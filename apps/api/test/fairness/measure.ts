import { addFlow, createFlow, readCompleted, send } from '../support/resources.ts'
import { startSlackServer } from '../support/slack-server.ts'
import { type SmtpReply, startSmtpSink } from '../support/smtp-sink.ts'
import { startTestServer } from '../support/test-server.ts'
import { startSilentServer } from './silent-server.ts'

const targetsPerRequest = 100

/**
 * Queues `bulk` deliveries in one project, and measures the latencies of `probes` messages in another project. A latency is the
 * time, in milliseconds, from the request until the SMTP server has received the message. `receivedCount` is the number of
 * messages from both projects that the SMTP server has received after the last probe.
 */
export const measureLatencies = async (options: {
  bulk: number
  probes: number
  /** The SMTP server's reply to each message. By default, it accepts all messages. */
  reply?: (number: number) => SmtpReply
  /** Whether the `bulk` deliveries use another provider, which never responds. */
  bulkHangs?: boolean
}): Promise<{ latencies: number[]; receivedCount: number }> => {
  await using smtp = await startSmtpSink(options.reply ? { reply: options.reply } : {})
  await using silent = await startSilentServer()
  await using server = await startTestServer({
    env: { FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'noreply@example.com', FLOWPOST_RATE_LIMIT: 'off', ...silent.env },
  })
  const fields = { override_target: true, ...(options.bulkHangs ? { source_type: 'mailgun' } : {}) }
  const bulk = await createFlow(server, fields)
  for (let flows = 1; flows < 10; flows += 1) await addFlow(server, bulk.project.id, fields)
  const probed = await createFlow(server, { target: 'other@example.com' })
  const perRequest = 10 * targetsPerRequest
  for (let sent = 0; sent < options.bulk; sent += perRequest) {
    const addresses = Array.from({ length: targetsPerRequest }, (_, number) => `bulk-${sent + number}@example.com`)
    await send(server, bulk.project.id, { target: addresses.join(';') })
  }
  const latencies: number[] = []
  for (let probe = 1; probe <= options.probes; probe += 1) {
    const startedAt = Date.now()
    const { id } = await send(server, probed.project.id, { subject: `probe ${probe}` })
    await readCompleted(server, id)
    const mail = smtp.received.find(({ raw }) => raw.includes(`Subject: probe ${probe}\r\n`))
    latencies.push((mail?.at ?? Number.POSITIVE_INFINITY) - startedAt)
  }
  const receivedCount = smtp.received.length
  // The shutdown need not wait for the remaining `bulk` deliveries.
  await server.request('DELETE', `/v1/settings/projects/${bulk.project.id}`)
  return { latencies, receivedCount }
}

/**
 * Sends messages to one chat channel with several workers. Returns the times at which Slack received them, in Unix
 * milliseconds.
 */
export const sendToOneChannel = async (options: { messages: number; workers: number }): Promise<number[]> => {
  await using slack = await startSlackServer()
  await using server = await startTestServer({ env: slack.env })
  const workers =
    server.database.url === undefined ? [] : await Promise.all(Array.from({ length: options.workers - 1 }, () => server.restart()))
  const { project } = await createFlow(server, { source_type: 'slack', target: 'C024BE91L' })
  const sent = await Promise.all(Array.from({ length: options.messages }, () => send(server, project.id)))
  for (const { id } of sent) while (!(await isCompleted(server, id))) {}
  await Promise.all(workers.map((worker) => worker.stop()))
  return slack.received.map(({ at }) => at)
}

const isCompleted = async (server: Awaited<ReturnType<typeof startTestServer>>, id: string): Promise<boolean> => {
  const { json } = await server.request('GET', `/v1/notifications/${id}?wait=60`)
  return !['queued', 'sending'].includes(json.status)
}
