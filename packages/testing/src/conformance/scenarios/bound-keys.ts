import { type NamedRoute, operations } from '../../http/operations.ts'
import { assert, assertEqual } from '../assertions.ts'
import { createScheduledNotification, samples } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const inPath = operations.filter(({ route }) => route.path.includes(':') && !route.metadata.unbound)

const elsewhere = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 404, 'returns not_found for a credential bound to another project', async (context) => {
    const { key } = await context.createKey({ project_id: (await context.createProject()).id })
    await context.http.expect(operation, 404, { ...(await samples[operation](context)), key }, 'not_found')
  })

const inBody = (['notifications.send', 'notifications.preview', 'apiKeys.create'] as const).map((operation) =>
  scenario(operation, 404, "returns not_found for a project other than the credential's project", async (context) => {
    const [own, other] = [await context.createProject(), await context.createProject()]
    const { key } = await context.createKey({ project_id: own.id })
    const { json } = await samples[operation](context)
    await context.http.expect(operation, 404, { json: { ...(json as object), project_id: other.id }, key }, 'not_found')
  }),
)

/** Scenarios about credentials that are bound to one project. */
export const boundKeyScenarios: readonly Scenario[] = [
  ...inPath.map(elsewhere),
  ...inBody,

  scenario('notifications.list', 200, "lists only the notifications in the credential's project", async (context) => {
    const [own, other] = [await createScheduledNotification(context), await createScheduledNotification(context)]
    const { key } = await context.createKey({ project_id: own.project.id })
    const response = await context.http.expect('notifications.list', 200, { key })
    assertEqual(
      response.json.data.map(({ id }: { id: string }) => id),
      [own.notification.id],
      'the listed ids',
    )
    const query = { project_id: other.project.id }
    await context.http.expect('notifications.list', 404, { key, query }, 'not_found')
    await context.http.expect('notifications.list', 404, { key, query: { flow_id: other.flow.id } }, 'not_found')
  }),

  scenario('apiKeys.list', 200, "lists only the keys bound to the credential's project", async (context) => {
    const project = await context.createProject()
    await context.createKey({})
    const { id, key } = await context.createKey({ project_id: project.id })
    const created = await context.http.expect('apiKeys.create', 201, { json: { name: context.uniqueName() }, key })
    assertEqual(created.json.project_id, project.id, "the created key's project")
    const response = await context.http.expect('apiKeys.list', 200, { key })
    assertEqual(
      response.json.data.map(({ id: keyId }: { id: string }) => keyId),
      [id, created.json.id],
      'the listed ids',
    )
  }),

  scenario('flows.create', 422, 'does not replay a response to a credential with a different project binding', async (context) => {
    const project = await context.createProject()
    const { key } = await context.createKey({ project_id: project.id })
    const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
    const request = { params: { project_id: project.id }, json: { name: 'a', ...context.receiver }, headers }
    await context.http.expect('flows.create', 201, request)
    const again = await context.http.call('flows.create', { ...request, key })
    assert(
      again.headers.get('idempotency-replayed') === null,
      'the response must not be replayed to a credential with a different project binding',
      again.json,
    )
    assertEqual([again.status, again.json.code], [422, 'idempotency_key_reused'], 'status and code')
  }),
]
