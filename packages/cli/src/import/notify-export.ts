import { CliError } from '../cli-error.ts'

/** An exported flow or mail server, with the fields of the exporting service's API. Field values are not checked. */
export type ExportedFlow = Readonly<Record<string, unknown>>

/** An exported project. */
export interface ExportedProject {
  readonly name: string
  readonly flows: readonly ExportedFlow[]
}

/** An export of projects, flows and the mail servers that they use. */
export interface NotifyExport {
  readonly projects: readonly ExportedProject[]
  readonly hosts: readonly ExportedFlow[]
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads a list of objects. The value can be the list itself, or an object whose field `data` or `items` is the list, as in
 * an API response. If the value is `undefined` or an object without these fields, returns an empty list.
 */
const readList = (value: unknown, place: string): Readonly<Record<string, unknown>>[] => {
  const list = isRecord(value) ? (value['data'] ?? value['items']) : value
  if (list === undefined) return []
  if (!Array.isArray(list) || !list.every(isRecord)) throw new CliError(`${place} must be a list of objects.`)
  return list
}

/** Describes the position of a parse error, if the parser reports it. Omits the parser's message, which may quote a secret. */
const describePosition = (error: unknown, text: string): string => {
  const [, position] = / in JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec((error as Error).message) ?? []
  if (position === undefined) return ''
  const lines = text.slice(0, Number(position)).split('\n')
  return `: line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`
}

/**
 * Parses an export: `{ "projects": [{ "id", "name", "flows": [...] }], "flows": { "<project id>": [...] }, "hosts": [...] }`. A
 * project's flows are in the project, or in `flows` under the project's id. The export can also be just the list of
 * projects.
 *
 * @throws {CliError} When the text is not JSON or does not have this structure.
 */
export const parseNotifyExport = (text: string): NotifyExport => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new CliError(`The export is not valid JSON${describePosition(error, text)}.`)
  }
  const root = Array.isArray(value) ? { projects: value } : value
  if (!isRecord(root) || root['projects'] === undefined)
    throw new CliError('The export must contain "projects", a list of objects with a name.')
  const flowsById = isRecord(root['flows']) ? root['flows'] : {}
  const projects = readList(root['projects'], '/projects').map((project, index) => {
    const { id, name, flows } = project
    if (typeof name !== 'string' || name.trim() === '') throw new CliError(`/projects/${index}/name must be a non-empty string.`)
    const own = flows ?? (typeof id === 'string' || typeof id === 'number' ? flowsById[String(id)] : undefined)
    return { name, flows: readList(own, `/projects/${index}/flows`) }
  })
  return { projects, hosts: readList(root['hosts'], '/hosts') }
}
