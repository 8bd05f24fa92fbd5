import type { SettingsApplied, SettingsChange } from '@flowpost/client'
import type { Output } from '../output/output.ts'
import { formatCount, toSafeJson, toSafeLine } from '../output/terminal-text.ts'

/** The maximum length of a change that is printed on one line, in characters. Longer changes are printed as a diff. */
const maxLineLength = 80

/** Returns a result's changes, except the entries for unchanged resources. */
export const realChanges = ({ changes }: Pick<SettingsApplied, 'changes'>): SettingsChange[] =>
  changes.filter(({ action }) => action !== 'none')

/** Splits a multi-line string into its lines. Returns any other value as one line of JSON. */
const toLines = (value: unknown): string[] =>
  typeof value === 'string' && value.includes('\n') ? value.split('\n').map(toSafeLine) : [toSafeJson(value)]

/** Returns the lines that differ between two values. */
const diffLines = (before: unknown, after: unknown): { removed: string[]; added: string[] } => {
  const removed = before === undefined ? [] : toLines(before)
  const added = after === undefined ? [] : toLines(after)
  while (removed.length > 0 && removed[0] === added[0]) {
    removed.shift()
    added.shift()
  }
  while (removed.length > 0 && removed.at(-1) === added.at(-1)) {
    removed.pop()
    added.pop()
  }
  return { removed, added }
}

/** Prints a changed field with its old and new value. For a secret, the API returns neither value. */
export const printField = ({ print, paint }: Output, { pointer = '', before, after }: SettingsChange): void => {
  // The pointer starts with the path of the resource, such as `/flows/0` or `/project`.
  const field = toSafeLine(pointer.replace(/^\/(?:project|\w+\/\d+)\//, ''))
  if (before === undefined && after === undefined) {
    print(`    ${field}: is set (value hidden)`)
    return
  }
  const { removed, added } = diffLines(before, after)
  const [from = 'nothing', to = 'nothing'] = [removed[0], added[0]]
  if (removed.length < 2 && added.length < 2 && field.length + from.length + to.length <= maxLineLength) {
    print(`    ${field}: ${paint('red', from)} → ${paint('green', to)}`)
    return
  }
  print(`    ${field}:`)
  for (const line of removed) print(paint('red', `      - ${line}`))
  for (const line of added) print(paint('green', `      + ${line}`))
}

const describePending = ({ pending_deliveries: count = 0 }: SettingsChange): string => {
  if (count === 0) return ''
  return count === 1 ? ', and its pending delivery is canceled' : `, and its ${formatCount(count)} pending deliveries are canceled`
}

/** Prints changes by resource, with the changed fields and their values. */
export const printChanges = (output: Output, changes: readonly SettingsChange[]): void => {
  const { print, paint } = output
  let last = ''
  for (const change of changes) {
    const name = toSafeLine(`${change.kind.replaceAll('_', ' ')} ${change.key}`)
    if (change.action === 'create') print(`${paint('green', '+')} ${name} is created`)
    else if (change.action === 'delete') print(`${paint('red', '-')} ${name} is deleted${describePending(change)}`)
    else {
      if (name !== last) print(`${paint('yellow', '~')} ${name} changes`)
      printField(output, change)
    }
    last = name
  }
}

/**
 * Describes how many resources the changes create, change and delete.
 *
 * @param isApplied Whether the changes have already been made.
 */
export const countChanges = (changes: readonly SettingsChange[], isApplied = false): string => {
  const count = (action: string) =>
    new Set(changes.filter((change) => change.action === action).map(({ kind, key }) => `${kind} ${key}`)).size
  const [created, changed, deleted] = isApplied ? ['created', 'changed', 'deleted'] : ['to create', 'to change', 'to delete']
  return `${count('create')} ${created}, ${count('update')} ${changed}, ${count('delete')} ${deleted}.`
}

/** Prints settings warnings to standard error. */
export const printWarnings = (
  { warn }: Pick<Output, 'warn'>,
  warnings: SettingsApplied['warnings'],
  toPlace: (pointer: string) => string,
): void => {
  for (const { pointer, message } of warnings) warn(`${toSafeLine(toPlace(pointer))}  ${toSafeLine(message)}`)
}
