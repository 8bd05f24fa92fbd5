import type { SettingsHistoryEntry } from '@flowpost/client'
import type { Output } from '../output/output.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { printField } from './print-changes.ts'

type Settings = SettingsHistoryEntry['before']

const verbs: Readonly<Record<string, string>> = { create: 'created', update: 'changed', delete: 'deleted' }

/** Returns the value at a JSON Pointer, or `undefined` if there is none. */
const valueAt = (settings: Settings, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], settings)

const isSecret = (pointer: string): boolean => /^\/secrets?(?:\/|$)/.test(pointer)

const nameOf = ({ key, resource_id, before, after }: SettingsHistoryEntry): string => {
  const name = (after ?? before)?.['name']
  return key ?? (typeof name === 'string' ? name : (resource_id ?? ''))
}

/** Describes a change in one line, such as `flow ops-mail changed: target, active`. */
export const describeEntry = (entry: SettingsHistoryEntry): string => {
  const { action, kind, fields } = entry
  const changed = fields.length === 0 ? '' : `: ${fields.map((pointer) => pointer.slice(1)).join(', ')}`
  return toSafeLine(`${kind.replaceAll('_', ' ')} ${nameOf(entry)} ${verbs[action] ?? action}${changed}`)
}

/** Prints each changed field with its old and new value. Does not print values of secrets. */
export const printValues = (output: Output, { action, key, kind, fields, before, after }: SettingsHistoryEntry): void => {
  for (const pointer of fields) {
    const field = pointer.slice(1)
    if (!isSecret(pointer))
      printField(output, {
        action,
        kind,
        key: key ?? '',
        id: null,
        pointer: field,
        before: valueAt(before, pointer),
        after: valueAt(after, pointer),
      })
    // The history never contains an event endpoint's signing secret, so a missing value does not mean that the secret was removed.
    else if (pointer !== '/secret' && valueAt(after, pointer) === undefined) output.print(`    ${toSafeLine(field)}: is removed`)
    else output.print(`    ${toSafeLine(field)}: is set (value hidden)`)
  }
}
