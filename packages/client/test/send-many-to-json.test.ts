import { expect, it } from 'vitest'
import { createFlowpost, type NotificationBatch, type NotificationBatchItem } from '../src/index.ts'

/** An item whose fields are getters of its prototype, so a copy of the object has no fields. */
class Reminder implements NotificationBatchItem {
  readonly #key: string | undefined
  constructor(key?: string) {
    this.#key = key
  }
  get project_id() {
    return 'prj_1'
  }
  get subject() {
    return 'a'
  }
  get message() {
    return 'b'
  }
  toJSON() {
    const { project_id, subject, message } = this
    return { project_id, subject, message, idempotency_key: this.#key }
  }
}

const fields = { project_id: 'prj_1', subject: 'a', message: 'b' }

const createClient = () => {
  const bodies: unknown[] = []
  const flowpost = createFlowpost({
    baseUrl: 'http://flowpost.test',
    apiKey: 'fp_key',
    fetch: async (_, { body }) => {
      bodies.push(JSON.parse(String(body)))
      return Response.json({ id: 'ntf_1', results: [{ status: 202, notification: { id: 'ntf_1' } }] })
    },
  })
  return { ...flowpost, bodies }
}

it('sendMany sends the same JSON as send for an item with toJSON', async () => {
  const { notifications, bodies } = createClient()
  await notifications.send(new Reminder())
  for await (const { error } of notifications.sendMany([new Reminder()])) expect(error).toBeUndefined()
  const [sent, batch] = bodies as [object, NotificationBatch]
  expect(batch.notifications).toEqual([{ ...sent, idempotency_key: expect.any(String) }])
})

it('sendMany keeps the idempotency key that toJSON returns', async () => {
  const { notifications, bodies } = createClient()
  for await (const { idempotencyKey } of notifications.sendMany([new Reminder('mine')])) expect(idempotencyKey).toBe('mine')
  expect(bodies).toMatchObject([{ notifications: [{ idempotency_key: 'mine' }] }])
})

it('sendMany keeps the idempotency key of an item whose toJSON omits it', async () => {
  const { notifications, bodies } = createClient()
  const item = Object.assign(new Reminder(), { idempotency_key: 'mine' })
  for await (const { idempotencyKey } of notifications.sendMany([item])) expect(idempotencyKey).toBe('mine')
  expect(bodies).toMatchObject([{ notifications: [{ idempotency_key: 'mine' }] }])
})

it('sendMany adds a key to an item whose toJSON returns an object with a toJSON method', async () => {
  const { notifications, bodies } = createClient()
  const item = { ...fields, toJSON: () => ({ ...fields, toJSON: () => ({}) }) }
  for await (const { idempotencyKey } of notifications.sendMany([item]))
    expect(bodies).toEqual([{ notifications: [{ ...fields, idempotency_key: idempotencyKey }] }])
})

it.each([null, undefined])('sendMany sends none of the fields that toJSON hides by returning %s', async (json) => {
  const { notifications, bodies } = createClient()
  for await (const { item } of notifications.sendMany([{ ...fields, toJSON: () => json }])) expect(item.subject).toBe('a')
  expect(bodies).toEqual([{ notifications: [{ idempotency_key: expect.any(String) }] }])
})

it('sendMany sends a field toJSON that is not a function like any other field', async () => {
  const { notifications, bodies } = createClient()
  for await (const { error } of notifications.sendMany([{ ...fields, toJSON: 'c' }])) expect(error).toBeUndefined()
  expect(bodies).toMatchObject([{ notifications: [{ ...fields, toJSON: 'c' }] }])
})

it.each([null, undefined])('sendMany sends an empty item for %s, so that the server rejects it alone', async (item) => {
  const { notifications, bodies } = createClient()
  const results = notifications.sendMany([item as unknown as NotificationBatchItem])
  await expect(results.next()).resolves.toMatchObject({ value: { item } })
  expect(bodies).toEqual([{ notifications: [{ idempotency_key: expect.any(String) }] }])
})

const circular: Record<string, unknown> = {}
circular['self'] = circular

it.each([
  [
    'whose toJSON throws',
    {
      toJSON: () => {
        throw new Error('broken')
      },
    },
  ],
  ['with a circular reference', circular],
  ['with a BigInt', { reference: 1n }],
  ['with a BigInt as idempotency key, even if toJSON omits it', { idempotency_key: 1n, toJSON: () => fields }],
])('sendMany ends with invalid_argument for an item %s', async (_, extra) => {
  const results = createClient().notifications.sendMany([{ ...fields, ...extra } as unknown as NotificationBatchItem])
  await expect(results.next()).rejects.toMatchObject({ code: 'invalid_argument' })
})
