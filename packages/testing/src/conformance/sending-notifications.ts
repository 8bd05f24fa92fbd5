import type { ScenarioContext } from './context.ts'

const pollMs = 50

/**
 * Sends a message with a test key to a simulated recipient whose provider takes 20 seconds to respond. Waits until the attempt
 * has started.
 */
export const createSending = async (context: ScenarioContext, target = 'slow.20s@flowpost.test') => {
  const project = await context.createProject()
  await context.createFlow(project, { source_type: 'smtp', target })
  const { key } = await context.createKey({ mode: 'test' })
  const json = { project_id: project.id, subject: 'Conformance', message: 'A message from the conformance suite.' }
  const { id } = (await context.http.expect('notifications.send', 202, { json, key })).json as { id: string }
  const statusOf = async () => (await context.client.notifications.get(id)).deliveries[0]?.status
  while ((await statusOf()) === 'queued') await new Promise((resolve) => setTimeout(resolve, pollMs))
  return { project, id }
}
