import type { Operation } from '../../public-types.ts'
import { assert, assertEqual } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import type { OperationRequest } from '../http.ts'
import { createScheduledNotification, samples } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const settings = { host: 'smtp.example.com', from: 'conformance@example.com' }

type Read = 'projects.get' | 'flows.get' | 'integrations.get' | 'eventEndpoints.get'

/** A write to an existing resource, and the operation that reads the resource. */
interface Write {
  readonly operation: Operation
  readonly read: Read
  readonly status: 200 | 204
}

const writes: readonly Write[] = [
  { operation: 'projects.update', read: 'projects.get', status: 200 },
  { operation: 'projects.delete', read: 'projects.get', status: 204 },
  { operation: 'projects.deleteByQuery', read: 'projects.get', status: 204 },
  { operation: 'flows.update', read: 'flows.get', status: 200 },
  { operation: 'flows.patch', read: 'flows.get', status: 200 },
  { operation: 'flows.delete', read: 'flows.get', status: 204 },
  { operation: 'integrations.put', read: 'integrations.get', status: 200 },
  { operation: 'integrations.delete', read: 'integrations.get', status: 204 },
  { operation: 'eventEndpoints.update', read: 'eventEndpoints.get', status: 200 },
  { operation: 'eventEndpoints.delete', read: 'eventEndpoints.get', status: 204 },
]

/** Creates a resource. Returns two requests: one to read the resource, one to write to it. */
const createRequests = async (context: ScenarioContext, { operation, read }: Write) => {
  if (operation === 'integrations.put') {
    const reading = await samples[read](context)
    return { reading, writing: { ...reading, json: { settings } } }
  }
  const writing: OperationRequest = await samples[operation](context)
  return { reading: { params: writing.params ?? { project_id: writing.query?.['project_id'] ?? '' } }, writing }
}

const currentTagOnly = (write: Write): Scenario =>
  scenario(write.operation, 412, 'rejects an entity tag that is weak or not current', async (context) => {
    const { reading, writing } = await createRequests(context, write)
    const etag = (await context.http.expect(write.read, 200, reading)).headers.get('etag') ?? ''
    const reversed = `"${[...etag.slice(1, -1)].reverse().join('')}"`
    for (const tags of [`W/${etag}`, reversed, `W/${etag}, "other"`])
      await context.http.expect(write.operation, 412, { ...writing, headers: { 'if-match': tags } }, 'etag_mismatch')
    assertEqual((await context.http.expect(write.read, 200, reading)).headers.get('etag'), etag, 'the ETag after the rejected writes')
    await context.http.expect(write.operation, write.status, { ...writing, headers: { 'if-match': `"other", ${etag}` } })
  })

const creations = [
  { operation: 'projects.create', read: 'projects.get' },
  { operation: 'flows.create', read: 'flows.get' },
] as const

/** Scenarios about entity tags in write requests and their responses. */
export const entityTagScenarios: readonly Scenario[] = [
  ...writes.map(currentTagOnly),

  ...creations.map(({ operation, read }) =>
    scenario(operation, 201, 'returns the same ETag as a later read', async (context) => {
      const project = await context.createProject()
      const { json } = await samples[operation](context)
      const created = await context.http.expect(operation, 201, {
        ...(operation === 'flows.create' ? { params: { project_id: project.id } } : {}),
        json,
      })
      const { id } = created.json as { id: string }
      if (operation === 'projects.create') context.onCleanup(({ client }) => client.projects.delete(id))
      const params = operation === 'flows.create' ? { project_id: project.id, flow_id: id } : { project_id: id }
      const reread = await context.http.expect(read, 200, { params })
      assert(created.headers.get('etag'), 'the response must have an ETag')
      assertEqual(created.headers.get('etag'), reread.headers.get('etag'), 'the ETag that the write returned')
    }),
  ),

  ...writes
    .filter(({ status }) => status === 200)
    .map((write) =>
      scenario(write.operation, 200, 'returns the same ETag as a later read', async (context) => {
        const { reading, writing } = await createRequests(context, write)
        const written = await context.http.expect(write.operation, 200, writing)
        const reread = await context.http.expect(write.read, 200, reading)
        assert(written.headers.get('etag'), 'the response must have an ETag')
        assertEqual(written.headers.get('etag'), reread.headers.get('etag'), 'the ETag that the write returned')
      }),
    ),

  scenario(null, 200, 'sets updated_at when a project or flow changes', async (context) => {
    const { project, flow, notification } = await createScheduledNotification(context)
    const other = await context.createFlow(project)
    // Waits one second, so that the changes get a later `updated_at`.
    await context.client.notifications.get(notification.id, { wait: 1 })
    const changes = [
      [project, await context.client.projects.update(project.id, { name: context.uniqueName() })],
      [flow, await context.client.flows.patch(project.id, flow.id, { name: 'patched' })],
      [other, await context.client.flows.update(project.id, other.id, (current) => ({ ...current, name: 'replaced' }))],
    ] as const
    for (const [before, after] of changes) {
      assertEqual(after.created_at, before.created_at, `created_at of ${after.id}`)
      assert(after.updated_at > before.updated_at, `updated_at of ${after.id} must be later than ${before.updated_at}`, after.updated_at)
    }
    // Also sends a PUT without If-Match, because a server may handle such a request in a separate code path.
    const json = { ...((await samples['flows.update'](context)).json as object), name: 'replaced again' }
    const params = { project_id: project.id, flow_id: other.id }
    const replaced = await context.http.expect('flows.update', 200, { params, json })
    assertEqual(replaced.json.created_at, other.created_at, 'created_at after a PUT without If-Match')
    assert(
      replaced.json.updated_at > other.updated_at,
      `updated_at after a PUT without If-Match must be later than ${other.updated_at}`,
      replaced.json.updated_at,
    )
  }),
]
