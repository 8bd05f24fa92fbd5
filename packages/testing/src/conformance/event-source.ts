import type { EventEndpointCreate, EventEndpointWithSecret, EventFeed, Flow, NotificationSend, Project } from '@flowpost/client'
import type { ScenarioContext } from './context.ts'
import { farFutureMs } from './samples.ts'

const text = { subject: 'Secret subject', message: 'Secret message' }

const allTypes = [
  'notification.settled',
  'delivery.sent',
  'delivery.failed',
  'delivery.ambiguous',
  'delivery.canceled',
  'flow.unhealthy',
] as const

/** A project whose notifications create events. */
export interface EventSource {
  readonly project: Project
  readonly flow: Flow
  readonly endpoint: EventEndpointWithSecret
  /** Sends a notification and returns its id. Unless `send_at` is set, waits until the notification is completed. */
  send(fields?: Partial<NotificationSend>): Promise<string>
  /** Schedules a notification that does not become due during the scenario. Returns its id. */
  schedule(): Promise<string>
  /**
   * Reads events after `cursor`, or from the start of the project's feed. Stops once there are at least `count` events,
   * or after 10 requests.
   */
  read(count: number, cursor?: string): Promise<EventFeed>
}

/**
 * Creates a project with a flow and an event endpoint. Messages are sent with a test key, so they are captured, and
 * recipients at `flowpost.test` have fixed outcomes.
 */
export const createEventSource = async (
  context: ScenarioContext,
  target = 'ok@flowpost.test',
  endpoint: Partial<EventEndpointCreate> = {},
): Promise<EventSource> => {
  const project = await context.createProject()
  const flow = await context.createFlow(project, { source_type: 'smtp', target })
  const created = await context.client.eventEndpoints.create(project.id, { url: null, events: [...allTypes], ...endpoint })
  const { key } = await context.createKey({ mode: 'test' })
  const project_id = project.id
  const send = async (fields: Partial<NotificationSend> = {}) => {
    const json = { project_id, ...text, ...fields }
    const { id } = (await context.http.expect('notifications.send', 202, { json, key })).json
    if (fields.send_at === undefined) await context.client.notifications.get(id, { wait: 30 })
    return id as string
  }
  const schedule = async () => send({ send_at: await context.serverTime(farFutureMs) })
  const read = async (count: number, cursor?: string): Promise<EventFeed> => {
    const events: EventFeed['data'] = []
    let position = cursor
    for (let round = 0; events.length < count && round < 10; round += 1) {
      const feed = await context.client.events.list({ project_id, wait: 10, ...(position === undefined ? {} : { cursor: position }) })
      events.push(...feed.data)
      position = feed.cursor
    }
    return { data: events, cursor: position ?? '' }
  }
  return { project, flow, endpoint: created, send, schedule, read }
}
