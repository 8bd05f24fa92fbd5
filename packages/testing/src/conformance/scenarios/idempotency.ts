import { isSchema, type NamedRoute, operations } from '../../http/operations.ts'
import type { Operation } from '../../public-types.ts'
import { assert, assertEqual } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { samples, uniqueAddress, unknownId } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const idempotent = operations.filter(({ route }) => route.metadata.idempotent)
// These operations return a secret, so their responses are not stored for replay.
const withSecret: readonly Operation[] = [
  'apiKeys.create',
  'eventEndpoints.create',
  'eventEndpoints.rotateSecret',
  'integrations.rotateInbound',
]
const replayable = idempotent.filter(({ operation }) => !withSecret.includes(operation) && operation !== 'notifications.retry')
const withBody = idempotent.filter(({ operation, route }) => isSchema(route.body) && operation !== 'notifications.sendBatch')

const cleanUpResource = (context: ScenarioContext, { operation }: NamedRoute, id: string): void => {
  if (operation === 'projects.create') context.onCleanup(({ client }) => client.projects.delete(id))
  if (operation === 'apiKeys.create') context.onCleanup(({ client }) => client.apiKeys.delete(id))
  if (operation === 'notifications.send') context.onCleanup(({ client }) => client.notifications.cancel(id))
}

const successOf = ({ route }: NamedRoute): number =>
  Object.keys(route.responses)
    .map(Number)
    .filter((status) => status < 300)
    .at(-1) ?? 200

const replay = (named: NamedRoute): Scenario =>
  scenario(named.operation, successOf(named), 'replays the first response', async (context) => {
    const sample = await samples[named.operation](context)
    const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
    const first = await context.http.expect(named.operation, successOf(named), { ...sample, headers })
    cleanUpResource(context, named, first.json.id)
    // A retry may send the fields in a different order.
    const json = sample.json && Object.fromEntries(Object.entries(sample.json).reverse())
    const again = await context.http.expect(named.operation, successOf(named), { ...sample, ...(json ? { json } : {}), headers })
    assertEqual(again.json, first.json, 'the replayed response')
    assertEqual(
      [first, again].map((response) => response.headers.get('idempotency-replayed')),
      [null, 'true'],
      'the Idempotency-Replayed headers of both responses',
    )
    for (const name of ['location', 'etag'])
      assertEqual(again.headers.get(name), first.headers.get(name), `the ${name} header of the replayed response`)
  })

/** Returns fields that change the body of a sample request but keep the body valid. */
const otherField = (context: ScenarioContext, { operation }: NamedRoute): object => {
  switch (operation) {
    case 'notifications.send':
      return { subject: context.uniqueName() }
    case 'settings.apply':
      return { prune: true }
    case 'bulkActions.create':
      return { spread_seconds: 1 }
    case 'suppressions.create':
    case 'erasures.create':
      return { target: uniqueAddress(context) }
    case 'deliveries.recordReceipt':
      return { detail: context.uniqueName() }
    case 'eventEndpoints.create':
      return { description: 'Other' }
    case 'eventEndpoints.replay':
      return { after: unknownId('event') }
    default:
      return { name: context.uniqueName() }
  }
}

const reused = (named: NamedRoute): Scenario =>
  scenario(named.operation, 422, 'rejects an idempotency key that was used with a different body', async (context) => {
    const sample = await samples[named.operation](context)
    const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
    const first = await context.http.expect(named.operation, successOf(named), { ...sample, headers })
    cleanUpResource(context, named, first.json.id)
    const json = { ...(sample.json as object), ...otherField(context, named) }
    await context.http.expect(named.operation, 422, { ...sample, json, headers }, 'idempotency_key_reused')
  })

const releasesKey = scenario('projects.create', 201, "releases a rejected request's idempotency key", async (context) => {
  const project = await context.createProject()
  const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
  await context.http.expect('projects.create', 409, { json: { name: project.name }, headers }, 'project_name_taken')
  const created = await context.http.expect('projects.create', 201, { json: { name: context.uniqueName() }, headers })
  context.onCleanup(({ client }) => client.projects.delete(created.json.id))
  assert(created.headers.get('idempotency-replayed') === null, 'the response to a rejected request must not be replayed')
})

const maxKeyLength = scenario('projects.create', 201, 'accepts idempotency keys of up to 255 visible characters', async (context) => {
  const key = context.uniqueName().replaceAll(' ', '-').padEnd(255, '~')
  const create = (status: number, idempotencyKey: string) =>
    context.http.expect('projects.create', status, { json: { name: context.uniqueName() }, headers: { 'idempotency-key': idempotencyKey } })
  const created = await create(201, key)
  context.onCleanup(({ client }) => client.projects.delete(created.json.id))
  for (const invalid of [`${key}~`, 'with a blank']) {
    const { json } = await create(400, invalid)
    assertEqual([json.code, json.errors[0]?.pointer], ['malformed_header', '/idempotency-key'], 'the code and the error pointer')
  }
})

const normalizesPath = scenario('notifications.cancel', 200, 'replays a response for a different spelling of the path', async (context) => {
  const sample = await samples['notifications.send'](context)
  const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
  const sent = await context.http.expect('notifications.send', 202, { ...sample, headers })
  context.onCleanup(({ client }) => client.notifications.cancel(sent.json.id))
  for (const path of ['/v1/notifications/', '/V1/Notifications']) {
    const again = await context.http.raw('POST', path, { ...sample, headers })
    assertEqual(
      [again.status, again.headers.get('idempotency-replayed'), again.json.id],
      [202, 'true', sent.json.id],
      `the status, Idempotency-Replayed header and id for ${path}`,
    )
  }
  const first = await context.http.expect('notifications.cancel', 200, { params: { notification_id: sent.json.id }, headers })
  assertEqual(first.headers.get('idempotency-replayed'), null, 'the Idempotency-Replayed header for another operation')
  for (const path of [`/v1/notifications/%6e${sent.json.id.slice(1)}/cancel`, `/V1/NOTIFICATIONS/${sent.json.id}/Cancel/`]) {
    const again = await context.http.raw('POST', path, { headers })
    assertEqual(
      [again.status, again.headers.get('idempotency-replayed')],
      [200, 'true'],
      `the status and Idempotency-Replayed header for ${path}`,
    )
  }
})

const concurrentRequests = scenario(
  'notifications.send',
  202,
  'accepts only one notification for concurrent requests with the same idempotency key',
  async (context) => {
    const { json } = await samples['notifications.send'](context)
    const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
    const responses = await Promise.all(Array.from({ length: 8 }, () => context.http.call('notifications.send', { json, headers })))
    const accepted = responses.filter(({ status }) => status === 202)
    const rejected = responses.filter((response) => response.status === 409 && response.json.code === 'idempotency_in_progress')
    assertEqual(accepted.length + rejected.length, responses.length, 'the number of 202 and idempotency_in_progress responses')
    const { project_id } = json as { project_id: string }
    const { data } = await context.client.notifications.list({ project_id })
    assertEqual(data.length, 1, 'number of notifications')
    for (const response of accepted) assertEqual(response.json.id, data[0]?.id, 'the notification id')
  },
)

const scopedToPath = scenario('flows.create', 201, 'scopes idempotency keys to the path', async (context) => {
  const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
  const json = { name: context.uniqueName(), ...context.receiver }
  const [one, other] = [await context.createProject(), await context.createProject()]
  const created = []
  for (const { id } of [one, other])
    created.push(await context.http.expect('flows.create', 201, { params: { project_id: id }, json, headers }))
  assertEqual(
    created.map((response) => response.json.project_id),
    [one.id, other.id],
    "the flows' project ids",
  )
})

const scopedToUser = scenario(
  'projects.create',
  201,
  'scopes idempotency keys to the user',
  async (context) => {
    const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
    const json = { name: context.uniqueName() }
    const first = await context.http.expect('projects.create', 201, { json, headers })
    context.onCleanup(({ client }) => client.projects.delete(first.json.id))
    const key = context.target.otherApiKey ?? null
    const other = await context.http.expect('projects.create', 201, { json, headers, key })
    context.onCleanup(({ otherClient }) => otherClient().projects.delete(other.json.id))
    assert(other.json.id !== first.json.id, 'the response must not be replayed to another user')
  },
  ['otherApiKey'],
)

/** Scenarios about idempotency keys. */
export const idempotencyScenarios: readonly Scenario[] = [
  ...replayable.map(replay),
  ...withBody.map(reused),
  releasesKey,
  maxKeyLength,
  normalizesPath,
  concurrentRequests,
  scopedToPath,
  scopedToUser,
]
