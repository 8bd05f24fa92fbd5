import type { Flow, Flowpost, Project } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import { toSafeLine } from '../output/terminal-text.ts'

/** Maximum number of names that an error lists. */
const maxListed = 10

interface Named {
  readonly id: string
  readonly name: string
  readonly key: string | null
}

const listOf = (items: readonly Named[]): string => {
  const shown = items.slice(0, maxListed).map(({ id, key, name }) => `  ${toSafeLine(`${id}  ${key === null ? name : `${key}  ${name}`}`)}`)
  const more = items.length > maxListed ? [`  and ${items.length - maxListed} more`] : []
  return [...shown, ...more].join('\n')
}

const collect = async <Item>(list: AsyncIterable<Item>): Promise<Item[]> => {
  const items: Item[] = []
  for await (const item of list) items.push(item)
  return items
}

// The server stores names in NFC without surrounding white space.
const normalize = (name: string): string => name.trim().normalize()

/**
 * Returns the items whose key or name is `given`. Several can match, because flows can share a name, and one item's key
 * can be another item's name.
 */
const findAll = <Item extends Named>(items: readonly Item[], given: string): Item[] =>
  items.filter(({ key, name }) => key === given || name === normalize(given))

/**
 * Returns the id of the project with the given id, key or name. If `given` is `undefined`, returns the id of the only
 * project.
 *
 * @throws {CliError} When no project or several projects match.
 */
export const findProjectId = async (flowpost: Flowpost, given: string | undefined): Promise<string> => {
  if (given?.startsWith('prj_')) return given
  const projects = await collect<Project>(flowpost.projects.list({ limit: 1000 }))
  if (given === undefined) {
    const [only, second] = projects
    if (only === undefined)
      throw new CliError('There are no projects.', "Create one with the SDK's `flowpost.projects.create` or POST /v1/settings/projects.")
    if (second === undefined) return only.id
    throw new CliError('There are several projects. Name one with --project.', listOf(projects))
  }
  const [project, second] = findAll(projects, given)
  if (project && second) throw new CliError(`Several projects have the key or name ${given}. Use an id.`, listOf([project, second]))
  if (project) return project.id
  throw new CliError(`There is no project ${given}.`, projects.length === 0 ? undefined : `Projects:\n${listOf(projects)}`)
}

/**
 * Returns the id of a project's flow with the given id, key or name.
 *
 * @throws {CliError} When no flow or several flows match.
 */
export const findFlowId = async (flowpost: Flowpost, projectId: string, given: string): Promise<string> => {
  if (given.startsWith('flw_')) return given
  const flows = await collect<Flow>(flowpost.flows.list(projectId, { limit: 1000 }))
  const matching = findAll(flows, given)
  const [flow, second] = matching
  if (flow && second) throw new CliError(`Several flows have the key or name ${given}. Use an id.`, listOf(matching))
  if (flow) return flow.id
  throw new CliError(`The project has no flow ${given}.`, flows.length === 0 ? undefined : `Flows:\n${listOf(flows)}`)
}
