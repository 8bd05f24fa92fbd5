import { createFlowpost } from '@flowpost/client'
import { apiKey } from '../processes/flowpost-server.ts'

/** The ids of a project and its flows, and the flows' targets. */
export interface SeededProject {
  readonly id: string
  readonly flows: readonly { readonly id: string; readonly target: string }[]
}

/** The projects to which the benchmarks send notifications: one with one flow, and one with three flows. */
export interface SeededProjects {
  readonly one: SeededProject
  readonly three: SeededProject
}

/** The user to whom the benchmark's API key belongs. */
export const userId = 'bench'

/** Returns the body of a PUT request for a flow. */
export const flowFields = (target: string) =>
  ({
    name: 'Operations by mail',
    active: true,
    source_type: 'smtp',
    target,
    override_target: true,
    message_template: 'Hi,\\n\\n{{subject}}: {{message}}\\n\\nYours, Operations',
    message_template_type: 'text/plain',
  }) as const

/** Creates a project with `flowCount` flows through the API. */
export const seedProject = async (port: number, name: string, flowCount: number): Promise<SeededProject> => {
  await using flowpost = createFlowpost({ baseUrl: `http://127.0.0.1:${port}`, apiKey })
  const { id } = await flowpost.projects.create({ name })
  const flows: { id: string; target: string }[] = []
  for (let number = 0; number < flowCount; number += 1) {
    const target = `operations-${number}@example.com`
    const flow = await flowpost.flows.create(id, flowFields(target))
    flows.push({ id: flow.id, target })
  }
  return { id, flows }
}

/** Creates a project with one flow and a project with three flows. */
export const seedProjects = async (port: number): Promise<SeededProjects> => ({
  one: await seedProject(port, 'one flow', 1),
  three: await seedProject(port, 'three flows', 3),
})
