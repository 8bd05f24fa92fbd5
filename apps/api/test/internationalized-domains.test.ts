import { createSecretKey } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Queryable } from '../src/database/database.ts'
import { createRecipients } from '../src/features/delivery/recipients/recipients.ts'
import { createEncryption } from '../src/shared/encryption.ts'
import { openRecipientKey } from '../src/shared/recipient-key.ts'
import { waitForErasure } from './erasures/wait-for-erasure.ts'
import { onDatabase } from './support/direct-database.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { testChannels } from './support/test-recipients.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const secret = Buffer.alloc(32, 1)
const env = { FLOWPOST_CAPTURE: 'on', FLOWPOST_RATE_LIMIT: 'off', FLOWPOST_ENCRYPTION_KEY: `k1:${secret.toString('base64')}` }

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env })
})
afterAll(() => server?.[Symbol.asyncDispose]())

// Two spellings of the same mailbox.
const unicode = 'Bob@bücher.example'
const ascii = 'bob@xn--bcher-kva.example'

const suppressionsOf = (projectId: string) => `/v1/settings/projects/${projectId}/suppressions`
const find = async (on: TestServer, projectId: string, target: string) => {
  const query = new URLSearchParams({ project_id: projectId, target })
  return (await on.request('GET', `/v1/notifications?${query}`)).json.data.map(({ id }: { id: string }) => id)
}
const sendTo = async (on: TestServer, projectId: string, target: string, fields = {}) =>
  readCompleted(on, (await send(on, projectId, { target, ...fields })).id)
const isSuppressed = { status: 'failed', failure: { code: 'suppressed' } }

describe.each([
  [unicode, ascii],
  [ascii, unicode],
])('a recipient %s', (one, other) => {
  it('is suppressed and found in both spellings of the domain', async () => {
    const { project } = await createFlow(server, { override_target: true })
    const suppressed = await server.request('POST', suppressionsOf(project.id), { json: { target: one } })
    expect(await server.request('POST', suppressionsOf(project.id), { json: { target: other } })).toMatchObject({
      status: 200,
      json: { id: suppressed.json.id },
    })
    const { deliveries } = await sendTo(server, project.id, other)
    expect(deliveries).toMatchObject([isSuppressed])
    const { json } = await server.request('GET', `${suppressionsOf(project.id)}?${new URLSearchParams({ target: other })}`)
    expect(json.data).toEqual([suppressed.json])
  })

  it('is erased in both spellings, also from texts', async () => {
    const { project } = await createFlow(server, { override_target: true })
    const own = await sendTo(server, project.id, one)
    const mention = await sendTo(server, project.id, 'eve@example.com', { reference: `To ${one}`, message: `New: ${one}` })
    const { json } = await server.request('POST', '/v1/erasures', { json: { target: other, block: true } })
    await waitForErasure(server, json.id)
    const read = async (id: string) => (await server.request('GET', `/v1/notifications/${id}`)).json
    expect((await read(own.id)).deliveries[0].target).toBe(json.target)
    expect((await read(mention.id)).reference).toBe(`To ${json.target}`)
    expect((await server.openOutbox(`/${mention.deliveries[0].id}/raw`)).status).toBe(404)
    const later = await sendTo(server, project.id, one, { reference: `Of ${other} and ${one}` })
    expect(later).toMatchObject({
      reference: `Of ${json.target} and ${json.target}`,
      deliveries: [{ target: json.target, ...isSuppressed }],
    })
  })
})

it('finds queued and completed messages by both spellings of the domain', async () => {
  const { project } = await createFlow(server, { override_target: true })
  const local = unicode.split('@')[0]
  const targets = ['bücher.example', 'BÜCHER.example', 'XN--BCHER-KVA.example'].map((domain) => `${local}@${domain}`)
  const sendAll = (fields: object) => Promise.all(targets.map(async (target) => (await send(server, project.id, { target, ...fields })).id))
  const completed = await sendAll({})
  for (const id of completed) await readCompleted(server, id)
  const all = [...completed, ...(await sendAll({ send_at: new Date(Date.now() + 3_600_000).toISOString() }))].sort()
  for (const target of targets) expect((await find(server, project.id, target)).sort()).toEqual(all)
})

it('recognizes a recipient that an earlier release stored with the digest of the domain in Unicode', async () => {
  await using first = await startTestServer({ env })
  const { project } = await createFlow(first, { override_target: true })
  const path = suppressionsOf(project.id)
  const suppressed = (await first.request('POST', path, { json: { target: ascii } })).json
  const { id } = await sendTo(first, project.id, 'bob@bücher.example')
  await first.stop()
  await onDatabase(first.database, async (query) => {
    const encryption = createEncryption([{ id: 'k1', key: createSecretKey(secret) }])
    const key = await openRecipientKey({ database: { query } as Queryable, encryption, log: pino({ enabled: false }) })
    const [user] = await query<{ user_id: string }>('select user_id from projects')
    const digest = createRecipients(key, testChannels).identityOfKey(user?.user_id ?? '', 'bob@bücher.example')
    await query('update suppressions set digest = $1', [digest])
    await query('update recipient_digests set digest = $1', [digest])
    await query('update deliveries set recipient_digest = $1', [digest])
  })

  const second = await first.restart({ env })
  expect((await sendTo(second, project.id, ascii)).deliveries).toMatchObject([isSuppressed])
  expect((await second.request('POST', path, { json: { target: ascii } })).json).toEqual(suppressed)
  expect((await second.request('GET', `${path}?${new URLSearchParams({ target: unicode })}`)).json.data).toEqual([suppressed])
  expect(await find(second, project.id, ascii)).toContain(id)
  const { json } = await second.request('POST', '/v1/erasures', { json: { target: ascii } })
  const [kept] = (await second.request('GET', path)).json.data
  expect(kept).toMatchObject({ id: suppressed.id, target: expect.stringMatching(/^erased:/) })
  await waitForErasure(second, json.id)
  expect((await sendTo(second, project.id, unicode)).deliveries).toMatchObject([{ target: kept.target, ...isSuppressed }])
  await second.stop()
})
