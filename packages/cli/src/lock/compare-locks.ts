import { isDeepStrictEqual } from 'node:util'
import type { FlowpostLock } from '@flowpost/client'

/** A difference between two lock files: a part that was added, changed or removed. */
export interface LockDifference {
  readonly change: 'added' | 'changed' | 'removed'
  /** The path to the part that differs. Starts with the project's key: `['billing', 'flows', 'ops-mail', 'active']`. */
  readonly path: readonly string[]
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// A key can be the name of an inherited property, such as `constructor`.
const read = (fields: Readonly<Record<string, unknown>>, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined)

const compare = (before: unknown, after: unknown, path: readonly string[]): LockDifference[] => {
  if (before === undefined) return [{ change: 'added', path }]
  if (after === undefined) return [{ change: 'removed', path }]
  if (!isFields(before) || !isFields(after)) return isDeepStrictEqual(before, after) ? [] : [{ change: 'changed', path }]
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    compare(read(before, name), read(after, name), [...path, name]),
  )
}

/** Returns the differences between the projects of two lock files. */
export const compareLocks = (before: FlowpostLock, after: FlowpostLock): LockDifference[] => compare(before.projects, after.projects, [])

/** Describes a difference in one line, such as `changed  billing: flows ops-mail active`. */
export const describeDifference = ({ change, path: [project = '', ...rest] }: LockDifference): string => {
  if (rest.length === 1 && rest[0] === 'digest') return `${change}  ${project}: the digest of all settings, including targets`
  return `${change}  ${[project, rest.join(' ')].filter(Boolean).join(': ')}`
}
