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

it('sendMany ends with invalid_argument when toJSON throws', async () => {
  const broken = new Reminder()
  broken.toJSON = () => {
    throw new Error('broken')
  }
  const results = createClient().notifications.sendMany([broken])
  await expect(results.next()).rejects.toMatchObject({ code: 'invalid_argument' })
})
