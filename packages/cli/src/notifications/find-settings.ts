import type { Flow, Flowpost, Project } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import { toSafeLine } from '../output/terminal-text.ts'

/** Maximum number of names that an error lists. */
const maxListed = 10

const listOf = (items: readonly { readonly id: string; readonly name: string }[]): string => {
  const shown = items.slice(0, maxListed).map(({ id, name }) => `  ${id}  ${toSafeLine(name)}`)
  const more = items.length > maxListed ? [`  and ${items.length - maxListed} more`] : []
  return [...shown, ...more].join('\n')
}

const collect = async <Item>(list: AsyncIterable<Item>): Promise<Item[]> => {
  const items: Item[] = []
  for await (const item of list) items.push(item)
  return items
}

// Names are stored in NFC without surrounding blanks.
const normalize = (name: string): string => name.trim().normalize()

/**
 * Returns the id of a project that is given by its id or its name. Without either, returns the only project.
 *
 * @throws {CliError} When there is no such project, or when none is given and there are several.
 */
export const findProjectId = async (flowpost: Flowpost, given: string | undefined): Promise<string> => {
  if (given?.startsWith('prj_')) return given
  const projects = await collect<Project>(flowpost.projects.list({ limit: 1000 }))
  if (given === undefined) {
    const [only, second] = projects
    if (only === undefined)
      throw new CliError('There are no projects.', 'Create one with `flowpost.projects.create` of the SDK or POST /v1/settings/projects.')
    if (second === undefined) return only.id
    throw new CliError('There are several projects. Name one with --project.', listOf(projects))
  }
  const project = projects.find(({ name }) => name === normalize(given))
  if (project) return project.id
  throw new CliError(`There is no project ${given}.`, projects.length === 0 ? undefined : `Projects:\n${listOf(projects)}`)
}

/**
 * Returns the id of a flow that is given by its id or its name in a project.
 *
 * @throws {CliError} When there is no such flow, or several with this name.
 */
export const findFlowId = async (flowpost: Flowpost, projectId: string, given: string): Promise<string> => {
  if (given.startsWith('flw_')) return given
  const flows = await collect<Flow>(flowpost.flows.list(projectId, { limit: 1000 }))
  const [flow, second] = flows.filter(({ name }) => name === normalize(given))
  if (flow && !second) return flow.id
  if (flow) throw new CliError(`Several flows have the name ${given}. Use an id.`, listOf(flows.filter(({ name }) => name === flow.name)))
  throw new CliError(`The project has no flow ${given}.`, flows.length === 0 ? undefined : `Flows:\n${listOf(flows)}`)
}
