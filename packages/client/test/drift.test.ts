import { expect, it } from 'vitest'
import type { FlowpostOptions, SettingsDrift } from '../src/index.ts'
import { json, problem } from './support/hostile-server.ts'
import { start } from './support/setup.ts'

const message = { subject: 'Invoice 42', message: 'It is ready.' }
const createLock = () => ({ projects: { billing: { digest: 'digest-of-billing' }, shop: { digest: 'digest-of-shop' } } })
const changed = { 'flowpost-settings-changed': 'true' }
const accepted = (headers: Record<string, string> = {}) => json(202, { id: 'ntf_1', status: 'queued' }, headers)

const setup = async (options: FlowpostOptions = {}) => {
  const drifts: string[] = []
  const onDrift = ({ project }: SettingsDrift) => void drifts.push(project)
  const at = await start({ lock: createLock(), onDrift, ...options })
  return { ...at, drifts, digests: () => at.server.requests.map(({ headers }) => headers['flowpost-settings-digest']) }
}

it("sends the project's digest if a send, a preview or a batch names the project by key", async () => {
  await using at = await setup()
  const { notifications } = at.flowpost
  at.server.next(accepted(), json(200, { flows: [] }), json(200, { results: [] }))
  await notifications.send({ project: 'billing', ...message })
  await notifications.preview({ project: 'shop', ...message })
  await notifications.sendBatch({
    notifications: [
      { project: 'shop', ...message },
      { project: 'billing', ...message },
    ],
  })
  expect(at.digests()).toEqual(['digest-of-billing', 'digest-of-shop', 'digest-of-shop'])
})

it('sends no digest without a lock, for a project named by id, or for a project that the lock does not contain', async () => {
  await using at = await setup()
  const keys = ['unknown', 'constructor', '__proto__', 'tostring']
  at.server.next(...Array.from({ length: keys.length + 2 }, () => accepted()))
  for (const project of keys) await at.flowpost.notifications.send({ project, ...message })
  await at.flowpost.notifications.send({ project_id: 'prj_1', ...message })
  await at.client({ lock: undefined }).notifications.send({ project: 'billing', ...message })
  expect(at.digests()).toEqual(Array.from({ length: keys.length + 2 }, () => undefined))
})

it('reports the drift of a project only once, even with another client that has the same lock', async () => {
  await using at = await setup()
  at.server.next(...Array.from({ length: 4 }, () => accepted(changed)))
  for (const project of ['billing', 'billing', 'shop']) await at.flowpost.notifications.send({ project, ...message })
  await at.client().notifications.send({ project: 'billing', ...message })
  expect(at.drifts).toEqual(['billing', 'shop'])
})

it('reports drift after another client with the same lock, but without onDrift, has seen it', async () => {
  await using at = await setup()
  at.server.next(accepted(changed), accepted(changed))
  await at.client({ onDrift: undefined }).notifications.send({ project: 'billing', ...message })
  await at.flowpost.notifications.send({ project: 'billing', ...message })
  expect(at.drifts).toEqual(['billing'])
})

it('reports no drift while the settings match the lock', async () => {
  await using at = await setup()
  at.server.next(accepted())
  await at.flowpost.notifications.send({ project: 'billing', ...message })
  expect(at.drifts).toEqual([])
})

it('reports drift even when the message is rejected', async () => {
  await using at = await setup()
  at.server.next(problem(404, 'not_found', changed))
  await expect(at.flowpost.notifications.send({ project: 'billing', flow: 'old', ...message })).rejects.toMatchObject({ code: 'not_found' })
  expect(at.drifts).toEqual(['billing'])
})

it.each([
  [
    'throws',
    () => {
      throw new Error('broken')
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('broken')
    },
  ],
  ['is not set', undefined],
])('sends the message even if onDrift %s', async (_, onDrift) => {
  await using at = await setup({ onDrift, lock: createLock() })
  at.server.next(accepted(changed))
  await expect(at.flowpost.notifications.send({ project: 'billing', ...message })).resolves.toMatchObject({ id: 'ntf_1' })
})

it('ignores the response header if the request had no digest', async () => {
  await using at = await setup()
  at.server.next(accepted(changed))
  await at.flowpost.notifications.send({ project_id: 'prj_1', ...message })
  expect(at.drifts).toEqual([])
})
