import { addFlow, createFlow, readCompleted, send } from '../support/resources.ts'
import { startSlackServer } from '../support/slack-server.ts'
import { type SmtpReply, startSmtpSink } from '../support/smtp-sink.ts'
import { startTestServer } from '../support/test-server.ts'
import { startSilentServer } from './silent-server.ts'

const targetsPerRequest = 100

/**
 * How long another project's message takes while one project has so many deliveries waiting, in
 * milliseconds from the request to the receiving server, and how many messages had come by the last of them.
 */
export const latencyBehindBulk = async (options: {
  bulk: number
  probes: number
  /** What the SMTP server does with each message. Default: it accepts them. */
  reply?: (number: number) => SmtpReply
  /** Whether the bulk goes to another provider, which takes every request and never answers. */
  bulkHangs?: boolean
}): Promise<{ latencies: number[]; receivedMeanwhile: number }> => {
  await using smtp = await startSmtpSink(options.reply ? { reply: options.reply } : {})
  await using silent = await startSilentServer()
  await using server = await startTestServer({
    env: { FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'noreply@example.com', FLOWPOST_RATE_LIMIT: 'off', ...silent.env },
  })
  const fields = { override_target: true, ...(options.bulkHangs ? { source_type: 'mailgun' } : {}) }
  const bulk = await createFlow(server, fields)
  for (let flows = 1; flows < 10; flows += 1) await addFlow(server, bulk.project.id, fields)
  const other = await createFlow(server, { target: 'other@example.com' })
  const perRequest = 10 * targetsPerRequest
  for (let sent = 0; sent < options.bulk; sent += perRequest) {
    const addresses = Array.from({ length: targetsPerRequest }, (_, number) => `bulk-${sent + number}@example.com`)
    await send(server, bulk.project.id, { target: addresses.join(';') })
  }
  const latencies: number[] = []
  for (let probe = 1; probe <= options.probes; probe += 1) {
    const startedAt = Date.now()
    const { id } = await send(server, other.project.id, { subject: `probe ${probe}` })
    await readCompleted(server, id)
    const mail = smtp.received.find(({ raw }) => raw.includes(`Subject: probe ${probe}\r\n`))
    latencies.push((mail?.at ?? Number.POSITIVE_INFINITY) - startedAt)
  }
  const receivedMeanwhile = smtp.received.length
  // What is left of the bulk need not be waited for at the shutdown.
  await server.request('DELETE', `/v1/settings/projects/${bulk.project.id}`)
  return { latencies, receivedMeanwhile }
}

/** When messages to one chat channel start, with so many workers on one database, in milliseconds since the epoch. */
export const startsAtOneChannel = async (options: { messages: number; workers: number }): Promise<number[]> => {
  await using slack = await startSlackServer()
  await using server = await startTestServer({ env: slack.env })
  const others =
    server.database.url === undefined ? [] : await Promise.all(Array.from({ length: options.workers - 1 }, () => server.restart()))
  const { project } = await createFlow(server, { source_type: 'slack', target: 'C024BE91L' })
  const sent = await Promise.all(Array.from({ length: options.messages }, () => send(server, project.id)))
  for (const { id } of sent) while (!(await isSettled(server, id))) {}
  await Promise.all(others.map((other) => other.stop()))
  return slack.received.map(({ at }) => at)
}

const isSettled = async (server: Awaited<ReturnType<typeof startTestServer>>, id: string): Promise<boolean> => {
  const { json } = await server.request('GET', `/v1/notifications/${id}?wait=60`)
  return !['queued', 'sending'].includes(json.status)
}

/** What so many simultaneous requests with one idempotency key are answered, over two servers where the database allows. */
export const oneKeyManyRequests = async (requests: number) => {
  await using smtp = await startSmtpSink()
  await using server = await startTestServer({
    env: { FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'noreply@example.com', FLOWPOST_RATE_LIMIT: 'off' },
  })
  const second = server.database.url === undefined ? undefined : await server.restart()
  const { project } = await createFlow(server)
  const answers = await Promise.all(
    Array.from({ length: requests }, (_, number) =>
      (number % 2 === 0 ? server : (second ?? server)).request('POST', '/v1/notifications', {
        json: { project_id: project.id, subject: 'once', message: 'x' },
        headers: { 'Idempotency-Key': 'the-same' },
      }),
    ),
  )
  const { json } = await server.request('GET', `/v1/notifications?project_id=${project.id}`)
  await readCompleted(server, json.data[0].id)
  await second?.stop()
  return { answers, notifications: json.data.length as number, received: smtp.received.length }
}
