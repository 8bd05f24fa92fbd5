import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FlowpostLock, LockedProject, SettingsExport } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import { decodeText } from '../input/decode-text.ts'
import { toSafeJson } from '../output/terminal-text.ts'

/** The name of the lock file, which contains the projects' settings without secrets. */
export const lockFileName = 'flowpost.lock.json'

const version = 1

type Flow = SettingsExport['document']['flows'][number]

const toLockedFlow = ({ key: _, target, message_template: template, ...flow }: Flow, withTargets: boolean) => ({
  name: flow.name,
  active: flow.active,
  source_type: flow.source_type,
  ...(withTargets && { target }),
  override_target: flow.override_target,
  message_template: template.includes('\n') ? template.split('\n') : template,
  message_template_type: flow.message_template_type,
})

// Sorts by code units, so that the order does not depend on the machine's locale.
const sortKeys = <Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))

const sortDeep = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortDeep)
  if (typeof value !== 'object' || value === null) return value
  return sortKeys(Object.entries(value).map(([name, field]) => [name, sortDeep(field)]))
}

const toLockedProject = ({ document: { project, flows, integrations }, digest }: SettingsExport, withTargets: boolean): LockedProject => ({
  name: project.name,
  digest,
  flows: sortKeys(flows.map((flow) => [flow.key, toLockedFlow(flow, withTargets)])),
  integrations: sortKeys(
    integrations.map(({ source_type, settings }) => [source_type, { settings: sortDeep(settings) as Record<string, unknown> }]),
  ),
})

/**
 * Returns the lock file for exported projects. Every project must have a key. Equal settings result in the same file, on
 * any server.
 */
export const toLock = (exported: readonly SettingsExport[], { withTargets }: { readonly withTargets: boolean }): FlowpostLock => ({
  lockfile_version: version,
  projects: sortKeys(exported.map((project) => [project.document.project.key ?? '', toLockedProject(project, withTargets)])),
})

/** Returns the text of a lock file. */
export const formatLock = (lock: FlowpostLock): string => `${toSafeJson(lock, 2)}\n`

/** Returns whether a lock file contains the targets of its flows. */
export const hasTargets = ({ projects }: FlowpostLock): boolean =>
  Object.values(projects).some(({ flows }) => Object.values(flows).some(({ target }) => target !== undefined))

/**
 * Returns a file's text without a byte order mark, or `undefined` if the file does not exist.
 *
 * @throws {CliError} When the file cannot be read or is not valid UTF-8.
 */
export const readText = async (path: string): Promise<string | undefined> => {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new CliError(`${path} cannot be read: ${error.message}`)
  })
  return bytes && decodeText(bytes, path)
}

const isLock = (value: unknown): value is FlowpostLock => {
  const isObject = (part: unknown) => typeof part === 'object' && part !== null && !Array.isArray(part)
  const { projects } = Object(value) as { readonly projects?: unknown }
  return isObject(projects) && Object.values(Object(projects)).every((project) => isObject(project) && isObject(Object(project)['flows']))
}

/**
 * Reads a folder's lock file. Checks only the parts that this program uses.
 *
 * @returns `undefined` if the folder has no lock file.
 * @throws {CliError} When the file cannot be read, is not a lock file, or has a newer version than this program supports.
 */
export const readLock = async (folder: string): Promise<FlowpostLock | undefined> => {
  const path = join(folder, lockFileName)
  const text = await readText(path)
  if (text === undefined) return undefined
  let lock: unknown
  try {
    lock = JSON.parse(text)
  } catch (error) {
    throw new CliError(
      `${path} is not JSON: ${(error as Error).message}`,
      'Resolve its merge conflicts, or delete it and run `flowpost types`.',
    )
  }
  const { lockfile_version: found } = Object(lock) as { readonly lockfile_version?: unknown }
  if (typeof found === 'number' && found > version)
    throw new CliError(`${path} has version ${found}, but this program supports only version ${version}.`, 'Update @flowpost/cli.')
  if (found !== version || !isLock(lock)) throw new CliError(`${path} is not a lock file.`, 'Delete it and run `flowpost types`.')
  return lock
}
