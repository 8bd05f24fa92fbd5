import type { Flow, NotificationSend, Project } from '@flowpost/client'
import type { ScenarioContext } from './context.ts'

// Leaves time to delete the credentials before the messages are due.
const delayMs = 2_000

/** A project whose provider credentials are deleted before its messages become due. */
export interface FailingProject {
  readonly project: Project
  /** The flow whose provider loses its credentials. */
  readonly flow: Flow
}

/**
 * Creates a flow and schedules messages. Deletes the credentials of the flow's provider before the messages are due, so
 * that the flow's deliveries fail. Uses {@link ScenarioContext.unconfiguredProvider}, so the `requirements` of the scenario
 * must include `unconfigured`.
 *
 * @param prepare May create more flows. Returns an array with one object for each message to send. The object's fields are
 * added to the body of the request. A message without `flow_id` triggers all flows.
 */
export const sendWithoutCredentials = async (
  context: ScenarioContext,
  prepare: (failing: FailingProject) => Promise<readonly Partial<NotificationSend>[]>,
) => {
  const { source_type, target, settings, secrets } = context.unconfiguredProvider()
  const project = await context.createProject()
  await context.client.integrations.put(project.id, source_type, { settings, secrets })
  const flow = await context.createFlow(project, { source_type, target })
  const messages = await prepare({ project, flow })
  const send_at = await context.serverTime(delayMs)
  const body = { project_id: project.id, subject: 'Conformance', message: 'A message from the conformance suite.', send_at }
  const sent = await Promise.all(messages.map((fields) => context.client.notifications.send({ ...body, ...fields })))
  await context.client.integrations.delete(project.id, source_type)
  return {
    project,
    flow,
    /** Waits until all notifications are completed, and returns them. */
    settled: () => Promise.all(sent.map(({ id }) => context.client.notifications.get(id, { wait: 30 }))),
  }
}
