import { createFlowpost } from '@flowpost/client'
import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { afterEach, expect, it, vi } from 'vitest'
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from './support/otlp-receiver.ts'
import { addFlow, createFlow, readCompleted, send } from './support/resources.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const retryPolicy = { initialWaitMs: 50, maxWaitMs: 50, budgetMs: 60_000 }

afterEach(() => void vi.unstubAllEnvs())

/** Starts an API and a worker that export traces. On the embedded database, one process does both. */
const startTraced = async (env: Readonly<Record<string, string>>) => {
  // OpenTelemetry reads the environment of this process, not the server's `env`.
  for (const [name, value] of Object.entries(env)) if (name.startsWith('OTEL_')) vi.stubEnv(name, value)
  const database = await createTestDatabase()
  const isShared = database.url !== undefined
  const api = await startTestServer({ database, retryPolicy, env: { ...env, FLOWPOST_ROLE: isShared ? 'api' : 'all' } })
  const worker = isShared ? await api.restart({ env: { ...env, FLOWPOST_ROLE: 'worker' } }) : undefined
  return {
    api,
    logged: () => [api, worker].flatMap((server) => server?.logged ?? []).map((line) => JSON.parse(line)),
    stop: async () => {
      await api.stop()
      await worker?.stop()
    },
    [Symbol.asyncDispose]: async () => {
      await worker?.stop()
      await api[Symbol.asyncDispose]()
    },
  }
}

/** Calls the SDK within a span of a traced program, as the client's README shows. */
const sendWithinSpan = async (receiver: OtlpReceiver, server: TestServer, projectId: string) => {
  const exporter = new OTLPTraceExporter({ url: `${receiver.url}/v1/traces` })
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const span = provider.getTracer('shop').startSpan('place order')
  const active = trace.setSpan(ROOT_CONTEXT, span)
  const propagator = new W3CTraceContextPropagator()
  const flowpost = createFlowpost({
    baseUrl: server.url,
    apiKey: server.keys.alice,
    hooks: { onRequest: ({ headers }) => propagator.inject(active, headers, { set: (carrier, name, value) => carrier.set(name, value) }) },
  })
  const accepted = await flowpost.notifications.send(
    { project_id: projectId, subject: 'secret-subject', message: 'secret-message' },
    { headers: { 'X-Request-Id': 'order-7' } },
  )
  span.end()
  await provider.shutdown()
  return { accepted, caller: span.spanContext() }
}

const isInOrder = (...instants: bigint[]): boolean =>
  instants.every((instant, index) => index === 0 || instant >= (instants[index - 1] ?? 0n))

it('records one trace from the SDK call to the last attempt, across processes', async () => {
  await using receiver = await startOtlpReceiver()
  await using smtp = await startSmtpSink({ reply: (number) => (number === 1 ? { code: 451, text: 'secret-reply' } : 'accept') })
  await using servers = await startTraced({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-token',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    FLOWPOST_SMTP_URL: smtp.url,
    FLOWPOST_EMAIL_FROM: 'sender@example.com',
    FLOWPOST_CAPTURE: 'off',
  })
  const { project } = await createFlow(servers.api, { target: 'secret-target@example.com' })
  const { accepted, caller } = await sendWithinSpan(receiver, servers.api, project.id)
  await readCompleted(servers.api, accepted.id)
  const [delivery] = accepted.deliveries
  await servers.stop()

  const spans = receiver.spans.filter(({ traceId }) => traceId === caller.traceId)
  const only = (name: string): ReceivedSpan => {
    const found = spans.filter((span) => span.name === name)
    expect(found, name).toHaveLength(1)
    return found[0] as ReceivedSpan
  }
  const byStart = (name: string) => spans.filter((span) => span.name === name).sort((a, b) => Number(a.startNs - b.startNs))
  const request = only('POST /v1/notifications')
  const accept = only('send deliveries')
  const [waitBefore, waitBetween, ...moreWaits] = byStart('wait deliveries')
  const [failed, sent, ...moreAttempts] = byStart('process deliveries')
  expect([...moreWaits, ...moreAttempts]).toEqual([])
  if (!waitBefore || !waitBetween || !failed || !sent) throw new Error('Spans are missing.')
  expect(spans).toHaveLength(7)

  expect([request.parentId, accept.parentId]).toEqual([caller.spanId, request.spanId])
  for (const span of [waitBefore, failed, waitBetween, sent]) expect(span.parentId).toBe(accept.spanId)
  expect([request, accept, waitBefore, failed].map(({ kind }) => kind)).toEqual([2, 4, 1, 5])
  expect(isInOrder(waitBefore.startNs, waitBefore.endNs, failed.endNs, waitBetween.endNs, sent.endNs)).toBe(true)
  expect(waitBetween.endNs - waitBetween.startNs).toBeGreaterThan(20_000_000n)

  const ids = { 'flowpost.notification_id': accepted.id, 'flowpost.delivery_id': delivery?.id, 'flowpost.source_type': 'smtp' }
  expect(request.attributes).toMatchObject({ 'http.route': '/v1/notifications', 'http.response.status_code': 202 })
  expect(accept.attributes).toMatchObject({ 'flowpost.notification_id': accepted.id, 'messaging.operation.type': 'send' })
  expect(waitBefore.attributes).toMatchObject({ ...ids, 'flowpost.attempt': 1 })
  expect(failed.attributes).toMatchObject({ ...ids, 'flowpost.attempt': 1, 'flowpost.outcome': 'retrying' })
  expect(sent.attributes).toMatchObject({ ...ids, 'flowpost.attempt': 2, 'flowpost.outcome': 'sent' })
  expect([failed, sent].map(({ isError }) => isError)).toEqual([true, false])
  expect(sent.resource).toMatchObject({ 'service.name': 'flowpost', 'deployment.environment.name': 'test' })
  const instances = new Set([request, sent].map(({ resource }) => resource['service.instance.id']))
  expect(instances.size).toBe(servers.api.database.url === undefined ? 1 : 2)

  expect(receiver.headers.some(({ authorization }) => authorization === 'Bearer collector-token')).toBe(true)
  for (const secret of ['secret-', servers.api.keys.alice, 'alice']) expect(receiver.bodies.join()).not.toContain(secret)
  const lines = servers.logged().filter(({ notification_id }) => notification_id === accepted.id)
  expect(lines.map(({ msg, trace_id, span_id, request_id }) => ({ msg, trace_id, span_id, request_id }))).toEqual([
    { msg: 'Notification accepted.', trace_id: caller.traceId, span_id: request.spanId, request_id: 'order-7' },
    { msg: 'Attempt failed; the delivery will be retried.', trace_id: caller.traceId, span_id: failed.spanId, request_id: 'order-7' },
    { msg: 'Delivery sent.', trace_id: caller.traceId, span_id: sent.spanId, request_id: 'order-7' },
  ])
  // The mail server is a third party, so it must not receive the trace id.
  expect(smtp.received.map(({ raw }) => raw).join()).not.toContain(caller.traceId)
})

it('records status 499 for a request whose client disconnects before the response', async () => {
  await using receiver = await startOtlpReceiver()
  await using servers = await startTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url })
  const { project } = await createFlow(servers.api)
  const { id } = await send(servers.api, project.id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  const headers = { Authorization: `Bearer ${servers.api.keys.alice}` }
  // The client may disconnect before its request arrives, so it tries again.
  const disconnect = async () => {
    const signal = AbortSignal.timeout(100)
    await fetch(`${servers.api.url}/v1/notifications/${id}?wait=30`, { headers, signal }).catch(() => {})
    return servers.logged().some(({ aborted }) => aborted)
  }
  await expect.poll(disconnect).toBe(true)
  await servers.stop()
  const span = receiver.spans.find(({ attributes }) => attributes['error.type'] === 'aborted')
  expect(span?.attributes).toMatchObject({ 'http.response.status_code': 499 })
})

it('sends no trace headers to webhooks, and records nothing with the sampler always_off', async () => {
  await using collector = await startOtlpReceiver()
  await using webhook = await startOtlpReceiver()
  await using servers = await startTraced({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'always_off',
    FLOWPOST_CAPTURE: 'off',
    FLOWPOST_EGRESS_ALLOW: '127.0.0.0/8',
    FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  })
  const { json: project } = await servers.api.request('POST', '/v1/settings/projects', { json: { name: 'hooks' } })
  const secrets = { urls: { ops: `${webhook.url}/hook` }, signing_secret: `whsec_${'A'.repeat(32)}` }
  await servers.api.request('PUT', `/v1/settings/projects/${project.id}/integrations/webhook`, { json: { settings: {}, secrets } })
  await addFlow(servers.api, project.id, { source_type: 'webhook', target: 'ops' })
  await readCompleted(servers.api, (await send(servers.api, project.id)).id)
  await servers.stop()
  expect(webhook.headers).toHaveLength(1)
  for (const name of ['traceparent', 'tracestate', 'baggage']) expect(webhook.headers[0]).not.toHaveProperty(name)
  expect(collector.bodies).toEqual([])
})

it.each([
  ['rejects connections', 'http://127.0.0.1:9'],
  ['never responds', undefined],
])('delivers and shuts down when the collector %s, and logs a failure once', async (_, closed) => {
  await using silent = await startOtlpReceiver({ responds: false })
  await using servers = await startTraced({
    OTEL_EXPORTER_OTLP_ENDPOINT: closed ?? silent.url,
    // The export timeout is much longer than the timeout of this test.
    OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
    OTEL_BSP_SCHEDULE_DELAY: '10',
  })
  const { project } = await createFlow(servers.api)
  for (const _send of ['first', 'second']) await readCompleted(servers.api, (await send(servers.api, project.id)).id)
  await servers.stop()
  expect(servers.logged().filter(({ msg }) => msg === 'Delivery captured.')).toHaveLength(2)
  const failures = servers.logged().filter(({ msg }) => msg.startsWith('Could not export traces'))
  // At most one line for each process.
  expect(failures.length).toBeLessThanOrEqual(servers.api.database.url === undefined ? 1 : 2)
})
