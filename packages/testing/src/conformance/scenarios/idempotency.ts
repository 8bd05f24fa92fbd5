import { type NamedRoute, operations } from '../../http/operations.ts'
import type { ScenarioContext } from '../context.ts'
import { equal, holds } from '../failure.ts'
import { samples } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const idempotent = operations.filter(({ route }) => route.metadata.idempotent)
const replayable = idempotent.filter(({ operation }) => operation !== 'apiKeys.create' && operation !== 'notifications.retry')
const withBody = idempotent.filter(({ operation }) => !['notifications.retry', 'notifications.cancel'].includes(operation))

const undo = (context: ScenarioContext, { operation }: NamedRoute, id: string): void => {
  if (operation === 'projects.create') context.cleanUp(() => context.client.projects.delete(id))
  if (operation === 'apiKeys.create') context.cleanUp(() => context.client.apiKeys.delete(id))
  if (operation === 'notifications.send') context.cleanUp(() => context.client.notifications.cancel(id))
}

const successOf = ({ route }: NamedRoute): number =>
  Object.keys(route.responses)
    .map(Number)
    .find((status) => status < 300) ?? 200

const replay = (named: NamedRoute): Scenario =>
  scenario(named.operation, successOf(named), 'answers a repetition with the first answer', async (context) => {
    const sample = await samples[named.operation](context)
    const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
    const first = await context.http.expect(named.operation, successOf(named), { ...sample, headers })
    undo(context, named, first.json.id)
    // Another order of the fields is the same body.
    const json = sample.json && Object.fromEntries(Object.entries(sample.json).reverse())
    const again = await context.http.expect(named.operation, successOf(named), { ...sample, ...(json ? { json } : {}), headers })
    equal(again.json, first.json, 'the answer to a repetition')
    equal(
      [first, again].map((answer) => answer.headers.get('idempotency-replayed')),
      [null, 'true'],
      'Idempotency-Replayed',
    )
    for (const name of ['location', 'etag']) equal(again.headers.get(name), first.headers.get(name), name)
  })

const reused = (named: NamedRoute): Scenario =>
  scenario(named.operation, 422, 'refuses a key that was used with another body', async (context) => {
    const sample = await samples[named.operation](context)
    const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
    const first = await context.http.expect(named.operation, successOf(named), { ...sample, headers })
    undo(context, named, first.json.id)
    const field = named.operation === 'notifications.send' ? 'subject' : 'name'
    const json = { ...(sample.json as object), [field]: context.uniqueName() }
    await context.http.expect(named.operation, 422, { ...sample, json, headers }, 'idempotency_key_reused')
  })

const freed = scenario('projects.create', 201, 'frees the key of a request that was refused', async (context) => {
  const project = await context.project()
  const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
  await context.http.expect('projects.create', 409, { json: { name: project.name }, headers }, 'project_name_taken')
  const made = await context.http.expect('projects.create', 201, { json: { name: context.uniqueName() }, headers })
  context.cleanUp(() => context.client.projects.delete(made.json.id))
  holds(made.headers.get('idempotency-replayed') === null, 'a refused request leaves nothing to be repeated')
})

const spelled = scenario('notifications.cancel', 200, 'knows a repetition whose path is spelled in another way', async (context) => {
  const sample = await samples['notifications.send'](context)
  const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
  const sent = await context.http.expect('notifications.send', 202, { ...sample, headers })
  context.cleanUp(() => context.client.notifications.cancel(sent.json.id))
  for (const path of ['/v1/notifications/', '/V1/Notifications']) {
    const again = await context.http.raw('POST', path, { ...sample, headers })
    equal([again.status, again.headers.get('idempotency-replayed'), again.json.id], [202, 'true', sent.json.id], path)
  }
  const first = await context.http.expect('notifications.cancel', 200, { params: { notification_id: sent.json.id }, headers })
  equal(first.headers.get('idempotency-replayed'), null, 'the key of another operation is another key')
  for (const path of [`/v1/notifications/%6e${sent.json.id.slice(1)}/cancel`, `/V1/NOTIFICATIONS/${sent.json.id}/Cancel/`]) {
    const again = await context.http.raw('POST', path, { headers })
    equal([again.status, again.headers.get('idempotency-replayed')], [200, 'true'], path)
  }
})

const atOnce = scenario('notifications.send', 202, 'accepts once what is sent many times at once under one key', async (context) => {
  const { json } = await samples['notifications.send'](context)
  const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
  const answers = await Promise.all(Array.from({ length: 8 }, () => context.http.call('notifications.send', { json, headers })))
  const accepted = answers.filter(({ status }) => status === 202)
  const refused = answers.filter((answer) => answer.status === 409 && answer.json.code === 'idempotency_in_progress')
  equal(accepted.length + refused.length, answers.length, 'how many were accepted, or told that one is in progress')
  const { project_id } = json as { project_id: string }
  const { data } = await context.client.notifications.list({ project_id })
  equal(data.length, 1, 'how many notifications there are')
  for (const answer of accepted) equal(answer.json.id, data[0]?.id, 'id')
})

const apart = scenario('flows.create', 201, 'takes the same key for another operation as another key', async (context) => {
  const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
  const json = { name: context.uniqueName(), ...context.receiver }
  const [one, other] = [await context.project(), await context.project()]
  const made = []
  for (const { id } of [one, other])
    made.push(await context.http.expect('flows.create', 201, { params: { project_id: id }, json, headers }))
  equal(
    made.map((answer) => answer.json.project_id),
    [one.id, other.id],
    'the projects of the flows',
  )
})

const ofUsers = scenario(
  'projects.create',
  201,
  'takes the same key from another user as another key',
  async (context) => {
    const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
    const json = { name: context.uniqueName() }
    const first = await context.http.expect('projects.create', 201, { json, headers })
    context.cleanUp(() => context.client.projects.delete(first.json.id))
    const key = context.target.otherApiKey ?? null
    const other = await context.http.expect('projects.create', 201, { json, headers, key })
    context.cleanUp(() => context.otherClient().projects.delete(other.json.id))
    holds(other.json.id !== first.json.id, 'the answer to another user was repeated')
  },
  ['otherApiKey'],
)

/** Repeated requests. */
export const idempotencyScenarios: readonly Scenario[] = [
  ...replayable.map(replay),
  ...withBody.map(reused),
  freed,
  spelled,
  atOnce,
  apart,
  ofUsers,
]
