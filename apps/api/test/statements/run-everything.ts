import { setTimeout as sleep } from 'node:timers/promises'
import { createOpenApiDocument } from '@flowpost/contract'
import { pino } from 'pino'
import { expect } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { recordOutcomesAgain } from '../../src/features/delivery/attempts/record-outcomes.ts'
import type { StartedAttempt } from '../../src/features/delivery/attempts/start-attempts.ts'
import { cancelExpired } from '../../src/features/delivery/cancel-deliveries.ts'
import { createQueue } from '../../src/features/delivery/queue/queue.ts'
import { cancelRestored, closeDeliveries } from '../../src/features/delivery/restore/cancel-restored.ts'
import { createRetention } from '../../src/features/delivery/retention.ts'
import { failRows, failSuppressed } from '../../src/features/delivery/suppressions/fail-suppressed.ts'
import { throttle } from '../../src/features/delivery/throttle/throttle.ts'
import { systemClock } from '../../src/shared/clock.ts'
import { newUuid } from '../../src/shared/ids.ts'
import { allFlowFields, readCompleted } from '../support/resources.ts'
import { recordTestEvents, testRecipients } from '../support/test-recipients.ts'
import type { TestServer } from '../support/test-server.ts'
import { runEventSteps } from './run-event-steps.ts'

const operations = Object.entries(createOpenApiDocument({ version: '1' }).paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { operationId }]) => ({ method: method.toUpperCase(), path, operationId })),
)

interface Call {
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: object
}

/** The settings with which {@link runEveryOperation} captures chat messages, and fails to send email. */
export const settings = {
  env: {
    FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    FLOWPOST_CAPTURE: 'missing',
    FLOWPOST_SMTP_URL: 'smtp://127.0.0.1:9',
    FLOWPOST_EMAIL_FROM: 'a@example.com',
  },
  // Without a budget, the first failure is final.
  retryPolicy: { initialWaitMs: 1, maxWaitMs: 1, budgetMs: -1 },
}

/**
 * Calls the operations of the API and opens the pages of the outbox. Returns the ids of operations that are missing here, for
 * example because they are new.
 */
export const runEveryOperation = async (server: TestServer): Promise<string[]> => {
  const called = new Set<string>()
  const call = async (operationId: string, ids: Readonly<Record<string, string>> = {}, { query, ...options }: Call = {}) => {
    const operation = operations.find((candidate) => candidate.operationId === operationId)
    if (!operation) throw new Error(`The API has no operation ${operationId}.`)
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name)
    const response = await server.request(operation.method, query === undefined ? path : `${path}?${query}`, options)
    expect(response.status, `${operationId}: ${response.text}`).toBeLessThan(300)
    called.add(operationId)
    return response.json
  }
  const addProject = async (name: string) => {
    const { id: project_id } = await call('projects.create', {}, { json: { name } })
    const addFlow = async (source_type: string, target: string) =>
      (await call('flows.create', { project_id }, { json: { name: source_type, source_type, target } })).id as string
    const send = async (fields: object = {}, headers = {}): Promise<string> => {
      const json = { project_id, subject: 'Invoice', message: 'It is ready.', ...fields }
      return (await call('notifications.send', {}, { json, headers })).id
    }
    return { project_id, addFlow, send }
  }
  const observe = async (projectId: string, json: object = {}) => {
    const fields = { url: 'https://127.0.0.1:9/', events: ['delivery.failed', 'notification.settled', 'flow.healthy'], ...json }
    return (await call('eventEndpoints.create', { project_id: projectId }, { json: fields })).id as string
  }
  const later = { send_at: new Date(Date.now() + 3_600_000).toISOString() }

  const { project_id, addFlow, send } = await addProject('a')
  const endpoint = { project_id, endpoint_id: await observe(project_id) }
  const chat = { project_id, flow_id: await addFlow('slack', 'C024BE91L') }
  const captured = await readCompleted(server, await send({}, { 'Idempotency-Key': 'once' }))
  expect(captured.status).toBe('sent')
  for (const path of ['', `/${captured.deliveries[0].id}`]) expect((await server.openOutbox(path)).status).toBe(200)

  const item = { project_id, subject: 'Invoice', message: 'It is ready.', ...later }
  const keys = { 'Idempotency-Key': 'batch' }
  await call('notifications.sendBatch', {}, { json: { notifications: [item, { ...item, idempotency_key: 'item' }] }, headers: keys })

  const email = { project_id, flow_id: await addFlow('smtp', 'ops@example.com') }
  const failed = await readCompleted(server, await send())
  expect(failed.deliveries.map(({ status }: { status: string }) => status).sort()).toEqual(['failed', 'sent'])
  const notification = { notification_id: failed.id }
  await call('notifications.retry', notification)
  await readCompleted(server, failed.id)
  await call('notifications.get', notification)
  await call('notifications.deliveries', notification, { query: `limit=1` })
  await call('notifications.explanation', notification)
  await call('notifications.cancel', { notification_id: await send(later) })
  await call('notifications.preview', {}, { json: { project_id, subject: 'a', message: 'b' } })
  for (const query of [
    'limit=1',
    `project_id=${project_id}`,
    `flow_id=${chat.flow_id}`,
    `flow_id=${chat.flow_id}&status=sent`,
    ...searches,
  ])
    await call('notifications.list', {}, { query })

  const everything = { project_id, created_after: '2026-11-21T00:00:00Z' }
  const failedSmtp = { ...everything, flow_id: email.flow_id, source_type: 'smtp', status: 'failed', failure_kind: 'provider' }
  for (const [action, filter] of [
    ['retry', failedSmtp],
    ['retry', everything],
    ['cancel', { ...everything, failure_code: 'a' }],
    ['cancel', everything],
  ]) {
    await send(later)
    await call('bulkActions.create', {}, { json: { action, filter, dry_run: true } })
    const { id: action_id } = await call('bulkActions.create', {}, { json: { action, filter } })
    expect(await call('bulkActions.get', { action_id }, { query: 'wait=30' })).toMatchObject({ status: 'done' })
    await call('bulkActions.stop', { action_id })
  }
  await call('bulkActions.list')
  await readCompleted(server, failed.id)
  const suppression = await call('suppressions.create', { project_id }, { json: { target: 'eve@example.com' } })
  await call('suppressions.list', { project_id }, { query: 'target=eve@example.com' })
  await send({ target: undefined })
  await call('notifications.preview', {}, { json: { project_id, subject: 'a', message: 'b' } })
  await call('suppressions.delete', { project_id, suppression_id: suppression.id })
  const suppressed = await call('suppressions.create', { project_id }, { json: { target: 'ops@example.com' } })
  await send({}, { 'Idempotency-Key': 'suppressed' })
  await send()
  await call('suppressions.delete', { project_id, suppression_id: suppressed.id })
  await call('notifications.cancel', { notification_id: await send({ ...later, reference: 'ops@example.com' }) })
  const erasure = await call('erasures.create', {}, { json: { target: 'ops@example.com', block: true } })
  while ((await call('erasures.get', { erasure_id: erasure.id })).status !== 'done') await sleep(20)
  await call('eventEndpoints.list', endpoint)
  await call('eventEndpoints.get', endpoint)
  await call('eventEndpoints.rotateSecret', endpoint)
  await call('eventEndpoints.test', endpoint)
  await call('eventEndpoints.attempts', endpoint)
  for (const query of ['limit=1', `project_id=${project_id}&type=delivery.failed`, 'wait=1&limit=1'])
    await call('events.list', {}, { query })
  const { data } = await call('events.list', {}, { query: `project_id=${project_id}` })
  await call('eventEndpoints.replay', endpoint, { json: { after: data[0].id } })
  await call('eventEndpoints.update', endpoint, { json: { url: null, events: ['delivery.failed'], active: true, description: '' } })

  await call('providers.list')
  await call('integrations.put', { ...chat, source_type: 'slack' }, { json: { settings: {}, secrets: { token: 'xoxb-1-2-hush' } } })
  const simulated = await addProject('simulated')
  await simulated.addFlow('slack', 'C0TEST_complaint')
  const tester = await call('apiKeys.create', {}, { json: { name: 'test', mode: 'test' } })
  const message = { project_id: simulated.project_id, subject: 'a', message: 'b' }
  await readCompleted(server, (await server.request('POST', '/v1/notifications', { json: message, key: tester.key })).json.id)
  const mail = { project_id, source_type: 'smtp' }
  await call('integrations.put', mail, { json: { settings: { host: 'smtp.example.com', from: 'a@example.com' } } })
  const { path: inbound } = await call('integrations.rotateInbound', mail)
  await call('deliveries.recordReceipt', { delivery_id: captured.deliveries[0].id }, { json: { status: 'bounced' } })
  const bounced = failed.deliveries.find(({ source_type }: { source_type: string }) => source_type === 'smtp').id
  const bounce = `X-Failed-Recipients: a@example.com\nTo: bounces+${bounced}@example.com\n\n550 5.1.1 User unknown\n`
  const headers = { 'Content-Type': 'message/rfc822' }
  expect((await server.request('POST', inbound, { body: bounce, headers, key: null })).json).toEqual({ result: 'recorded' })
  await call('integrations.delete', mail)
  await call('integrations.list', chat)
  await call('integrations.get', { ...chat, source_type: 'slack' })
  await send(later)
  await call('integrations.delete', { ...chat, source_type: 'slack' })

  await call('eventEndpoints.delete', endpoint)
  const document = {
    project: { key: 'a', name: 'applied' },
    flows: [{ ...allFlowFields, key: 'b', active: true }],
    integrations: [],
    event_endpoints: [{ key: 'b', url: null, events: ['delivery.failed'], active: true, description: '' }],
  }
  const applied = await call('settings.apply', {}, { json: document })
  await call('settings.export', applied)
  await send({ ...later, project_id: applied.project_id })
  await call('settings.apply', {}, { json: { ...document, dry_run: true, consequences: true } })
  await call('settings.apply', {}, { json: { ...document, flows: [], event_endpoints: [], prune: true } })

  await call('flows.get', email)
  await call('flows.get', email, { query: `at=${new Date().toISOString()}` })
  for (const query of ['limit=1', `project_id=${project_id}`]) await call('settings.history', {}, { query })
  await call('flows.list', email)
  await call('flows.check', email)
  await call('flows.update', email, { json: allFlowFields })
  await call('flows.patch', email, { json: { name: 'b' } })
  await call('flows.delete', email)

  const key = await call('apiKeys.create', {}, { json: { name: 'a' } })
  await call('apiKeys.list')
  await call('apiKeys.delete', { key_id: key.id })

  await call('projects.list')
  await call('projects.get', { project_id })
  await call('projects.update', { project_id }, { json: { name: 'c' } })
  await call('projects.delete', { project_id })
  const { project_id: other } = await addProject('d')
  await call('projects.deleteByQuery', {}, { query: `project_id=${other}` })
  expect((await server.request('GET', '/metrics')).status).toBe(200)
  return operations.map(({ operationId }) => operationId).filter((operationId) => !called.has(operationId))
}

const failures = ['failure_code=a', 'failure_kind=rate']
/** Query strings for lists of notifications: each search filter alone, and combinations that run different statements. */
const searches = [
  ...failures,
  'reference=a',
  'target=a',
  'source_type=smtp',
  ...failures.map((failure) => `target=a&${failure}`),
  'reference=a&target=a&status=sent&created_after=2026-11-21T00:00:00Z&created_before=2999-11-21T00:00:00Z',
]

const log = pino({ level: 'silent' })

/** Runs those statements of the worker and of retention that a short server run does not reach. */
export const runEveryStep = async (database: Database): Promise<void> => {
  const clock = systemClock
  const [id, deliveryId, projectId] = [newUuid(), newUuid(), newUuid()]
  const job = { deliveryId, userId: 'alice', projectId, sourceType: 'slack', claim: 1, deferrals: 0 }
  // Only an embedded database ends all leases at startup.
  const queue = createQueue({ database: { ...database, kind: 'embedded' } as Database, log })
  await queue.start()
  await queue.renew([job])
  await queue.reschedule([{ job, delayMs: 0 }])
  await queue.release([job])
  await queue.complete([job])
  await throttle({ database, clock, breakers: { anyOpen: () => true }, registry: { get: () => undefined } } as never, [job])
  const attempt = { id, notification_id: id, attempt_id: id, user_id: 'alice', project_id: projectId } as unknown as StartedAttempt
  const outcome = { status: 'sent', kind: 'email', providerMessageId: null, response: '250 OK' } as const
  const recording = { database, clock, logContent: true, recipients: testRecipients, recordEvents: recordTestEvents }
  await recordOutcomesAgain(recording, [{ attempt, durationMs: 1, outcome }])
  await cancelExpired(database, recording, [deliveryId])
  await failSuppressed(database, recording, [job])
  await failRows(database, recording, [job], [])
  await cancelRestored(recording, new Date())
  await closeDeliveries(recording, [{ id: deliveryId, notification_id: id }])
  await runEventSteps(database)
  await createRetention({ database, clock, log, contentMs: 1, logMs: 1, eventsMs: 0, historyMs: 400 * 24 * 3_600_000 }).run()
}
