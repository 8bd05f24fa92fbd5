import { type NamedRoute, operations } from '../../http/operations.ts'
import { equal, holds } from '../failure.ts'
import { samples, scheduled } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const inPath = operations.filter(({ route }) => route.path.includes(':') && !route.metadata.unbound)

const elsewhere = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 404, 'answers a credential of another project as if there were nothing', async (context) => {
    const { key } = await context.key({ project_id: (await context.project()).id })
    await context.http.expect(operation, 404, { ...(await samples[operation](context)), key }, 'not_found')
  })

const inBody = (['notifications.send', 'notifications.preview', 'apiKeys.create'] as const).map((operation) =>
  scenario(operation, 404, 'knows no project but its own with a credential of one project', async (context) => {
    const [own, other] = [await context.project(), await context.project()]
    const { key } = await context.key({ project_id: own.id })
    const { json } = await samples[operation](context)
    await context.http.expect(operation, 404, { json: { ...(json as object), project_id: other.id }, key }, 'not_found')
  }),
)

/** What a credential that is bound to one project may know of. */
export const boundKeyScenarios: readonly Scenario[] = [
  ...inPath.map(elsewhere),
  ...inBody,

  scenario('notifications.list', 200, 'shows a credential of one project those of that project only', async (context) => {
    const [own, other] = [await scheduled(context), await scheduled(context)]
    const { key } = await context.key({ project_id: own.project.id })
    const answer = await context.http.expect('notifications.list', 200, { key })
    equal(
      answer.json.data.map(({ id }: { id: string }) => id),
      [own.notification.id],
      'ids',
    )
    const query = { project_id: other.project.id }
    await context.http.expect('notifications.list', 404, { key, query }, 'not_found')
    await context.http.expect('notifications.list', 404, { key, query: { flow_id: other.flow.id } }, 'not_found')
  }),

  scenario('apiKeys.list', 200, 'shows a credential of one project the keys of that project only', async (context) => {
    const project = await context.project()
    await context.key({})
    const { id, key } = await context.key({ project_id: project.id })
    const made = await context.http.expect('apiKeys.create', 201, { json: { name: context.uniqueName() }, key })
    equal(made.json.project_id, project.id, 'the project of a key that it makes')
    const answer = await context.http.expect('apiKeys.list', 200, { key })
    equal(
      answer.json.data.map((each: { id: string }) => each.id),
      [id, made.json.id],
      'ids',
    )
  }),

  scenario('flows.create', 422, 'shows nobody what another credential got under the same key', async (context) => {
    const project = await context.project()
    const { key } = await context.key({ project_id: project.id })
    const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
    const request = { params: { project_id: project.id }, json: { name: 'a', ...context.receiver }, headers }
    await context.http.expect('flows.create', 201, request)
    const again = await context.http.call('flows.create', { ...request, key })
    holds(again.headers.get('idempotency-replayed') === null, 'the answer to another credential was repeated', again.json)
    equal([again.status, again.json.code], [422, 'idempotency_key_reused'], 'status and code')
  }),
]
