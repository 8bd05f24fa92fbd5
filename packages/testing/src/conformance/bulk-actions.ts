import type { BulkActionFilter } from '@flowpost/client'
import { assertIncludes } from './assertions.ts'
import type { ScenarioContext } from './context.ts'
import { createScheduledNotification } from './samples.ts'

/** A request that creates a bulk action. */
export interface BulkActionRequest {
  readonly action: 'retry' | 'cancel'
  readonly filter: BulkActionFilter
  readonly spread_seconds?: number
}

/** Creates a bulk action and waits until it is done. */
export const runToEnd = async (context: ScenarioContext, request: BulkActionRequest, key?: string) => {
  const { json } = await context.http.expect('bulkActions.create', 202, { json: request, ...(key === undefined ? {} : { key }) })
  assertIncludes(json, { status: 'running', completed_at: null }, 'the response')
  return context.client.bulkActions.get(json.id, { wait: 30 })
}

/** Creates two scheduled notifications in one project, and a filter that selects their deliveries. */
export const createScheduled = async (context: ScenarioContext) => {
  const { project, flow, body, notification } = await createScheduledNotification(context)
  const other = await context.createFlow(project)
  const second = await context.client.notifications.send({ ...body, flow_id: other.id })
  context.onCleanup(({ client }) => client.notifications.cancel(second.id))
  const statuses = async () => {
    const { data } = await context.client.notifications.list({ project_id: project.id })
    return data.map(({ status }) => status).reverse()
  }
  const filter = { project_id: project.id, created_after: project.created_at }
  return { project, flow, other, body, notification, second, statuses, filter }
}

/** Sends messages with a test key to a recipient that rejects them, and waits until they have failed. */
export const createFailed = async (context: ScenarioContext, count = 2) => {
  const project = await context.createProject()
  const flow = await context.createFlow(project, { source_type: 'smtp', target: 'bounce@flowpost.test' })
  const { key } = await context.createKey({ mode: 'test' })
  const json = { project_id: project.id, subject: 'Conformance', message: 'A message from the conformance suite.' }
  const ids: string[] = []
  for (let sent = 0; sent < count; sent += 1) ids.push((await context.http.expect('notifications.send', 202, { json, key })).json.id)
  const settled = () => Promise.all(ids.map((id) => context.client.notifications.get(id, { wait: 30 })))
  const [failed] = await settled()
  const code = failed?.deliveries[0]?.failure?.code ?? ''
  return { project, flow, key, ids, settled, code, filter: { project_id: project.id, created_after: project.created_at } }
}
