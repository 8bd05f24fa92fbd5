import type { NotificationSend } from '@flowpost/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const env = { FLOWPOST_CAPTURE: 'on', FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` }

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env })
})
afterAll(() => server[Symbol.asyncDispose]())

const flow = (key: string, fields: object = {}) => ({
  key,
  name: key,
  active: true,
  source_type: 'smtp',
  target: 'ops@example.com',
  override_target: false,
  message_template: '{{message}}',
  message_template_type: 'text/plain',
  ...fields,
})

let count = 0
const documentOf = (flows: readonly object[], fields: object = {}) => {
  count += 1
  return { project: { key: `consequences-${count}`, name: `Consequences ${count}` }, flows, ...fields }
}

const apply = (on: TestServer, json: object, headers: Readonly<Record<string, string>> = {}) =>
  on.request('POST', '/v1/settings/apply', { json, headers })
const consequencesOf = async (on: TestServer, json: object) =>
  (await apply(on, { ...json, dry_run: true, consequences: true })).json.consequences

/** Sends messages. Returns the accepted notifications. */
const sendMany = (on: TestServer, project: string, messages: readonly Partial<NotificationSend>[]) =>
  Promise.all(messages.map((message) => on.client().notifications.send({ project, subject: 'S', message: 'M', ...message })))

describe('the consequences of a dry run', () => {
  it('count the notifications on all pages, and name the newest', async () => {
    const document = documentOf([flow('ops')])
    await apply(server, document)
    const sent = await sendMany(
      server,
      document.project.key,
      Array.from({ length: 120 }, (_, index) => ({ message: `Message ${index}` })),
    )
    const template = await consequencesOf(server, { ...document, flows: [flow('ops', { message_template: 'New: {{message}}' })] })

    const ids = sent.map(({ id }) => id).sort()
    expect(template).toMatchObject({
      examined: 120,
      not_examined: 0,
      complete: true,
      since: sent.map(({ created_at }) => created_at).sort()[0],
      changed_messages: { notifications: 120, notification_id: ids.at(-1) },
    })
  })

  it('count each target as a delivery, but the notification only once', async () => {
    const document = documentOf([flow('ops', { override_target: true }), flow('chat', { source_type: 'slack', target: 'C024BE91L' })])
    await apply(server, document)
    const [notification] = await sendMany(server, document.project.key, [{ target: 'a@example.com;b@example.com' }])
    const without = await consequencesOf(server, { ...document, flows: [flow('ops', { override_target: false }), document.flows[1]] })

    expect(without).toMatchObject({
      examined: 1,
      deliveries: [{ source_type: 'smtp', before: 2, after: 0 }],
      rejected: [{ code: 'override_not_allowed', notifications: 1, notification_id: notification?.id }],
    })
  })

  it('include completed messages, whose requests are recovered from their content', async () => {
    const document = documentOf([flow('ops', { message_template: '<p>{{message}}</p>', message_template_type: 'text/html' })])
    await apply(server, document)
    const [sent] = await sendMany(server, document.project.key, [{ message: '<b>Disk</b> is full', message_type: 'text/html' }])
    await expect.poll(async () => (await server.request('GET', `/v1/notifications/${sent?.id}`)).json.status).toBe('sent')
    expect(await consequencesOf(server, document)).toMatchObject({ examined: 1, changed_messages: { notifications: 0 } })
  })

  it.each(['in the history', 'before the history starts'])('ignore writes that change nothing, if the last change is %s', async (when) => {
    await using other = await startTestServer({ env })
    const document = documentOf([flow('ops')])
    const { json } = await apply(other, document)
    await other.stop()
    await onDatabase(other.database, async (query) => {
      if (when === 'in the history') return
      await query('update settings_history_start set at = clock_timestamp()')
      await query('delete from settings_history')
    })
    await using restarted = await other.restart()
    await sendMany(restarted, document.project.key, [{}])
    await restarted.request('PATCH', `/v1/settings/projects/${json.project_id}/flows/${json.changes[1].id}`, { json: {} })
    const inactive = { ...document, flows: [flow('ops', { active: false })] }
    expect(await consequencesOf(restarted, inactive)).toMatchObject({ examined: 1, without_flow: { notifications: 1 } })
  })

  it('count every notification as not examined with FLOWPOST_LOG_CONTENT=off', async () => {
    await using other = await startTestServer({ env: { ...env, FLOWPOST_LOG_CONTENT: 'off' } })
    const document = documentOf([flow('ops')])
    await apply(other, document)
    await sendMany(other, document.project.key, [{}, {}])
    expect(await consequencesOf(other, { ...document, flows: [], prune: true })).toMatchObject({ examined: 0, not_examined: 2 })
  })

  it('are not returned if the settings have changed since', async () => {
    const document = documentOf([flow('ops')])
    const rejected = await apply(server, { ...document, dry_run: true, consequences: true }, { 'If-Match': '"outdated"' })
    expect([rejected.status, rejected.json.code]).toEqual([412, 'etag_mismatch'])
  })
})

describe('an event endpoint of a settings document', () => {
  const endpoint = { key: 'billing', url: null, events: ['notification.settled'], active: true, description: '' }

  it('receives every later event', async () => {
    const document = documentOf([flow('ops')], { event_endpoints: [endpoint] })
    const { json } = await apply(server, document)
    const [sent] = await sendMany(server, document.project.key, [{}])
    const events = () => server.request('GET', `/v1/events?project_id=${json.project_id}`)
    await expect.poll(async () => (await events()).json.data.map(({ data }: { data: { id: string } }) => data.id)).toEqual([sent?.id])
  })

  it('has a secret that is stored only encrypted', async () => {
    const document = documentOf([], { event_endpoints: [endpoint] })
    await using other = await startTestServer({ env })
    const { json } = await apply(other, document, { 'Idempotency-Key': 'secret' })
    const { secret } = json.changes.at(-1)
    expect(secret).toMatch(/^whsec_/)
    await other.stop()
    const stored = await onDatabase(other.database, async (query) => [
      ...(await query(`select body as text from idempotency_keys where key = 'secret'`)),
      ...(await query(`select encode(secrets, 'escape') as text from event_endpoints where key = 'billing'`)),
    ])
    expect(stored).toHaveLength(2)
    expect(JSON.stringify(stored)).not.toContain(secret.slice('whsec_'.length, 30))
  })
})
