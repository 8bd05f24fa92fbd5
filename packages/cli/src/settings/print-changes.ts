import type { SettingsApplied, SettingsChange } from '@flowpost/client'
import type { Output } from '../output/output.ts'
import { formatCount, toSafeJson, toSafeLine } from '../output/terminal-text.ts'

/** The maximum length of a change that is printed on one line, in characters. Longer changes are printed as a diff. */
const maxLineLength = 80

/** Returns a result's changes, except the entries for unchanged resources. */
export const realChanges = ({ changes }: Pick<SettingsApplied, 'changes'>): SettingsChange[] =>
  changes.filter(({ action }) => action !== 'none')

/** The lines that differ between two values. */
interface Difference {
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/** Returns the lines of two texts between their common first and last lines. */
const diffLines = (before: readonly string[], after: readonly string[]): Difference => {
  const shortest = Math.min(before.length, after.length)
  let start = 0
  while (start < shortest && before[start] === after[start]) start++
  let end = 0
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end++
  return { removed: before.slice(start, before.length - end), added: after.slice(start, after.length - end) }
}

// Matches a line that would look like another one: `""` stands for an empty line, and the other characters are invisible.
const unclear = /^""$|[\p{Cc}\p{Bidi_Control}\u2028\u2029]|\s$/u

/** Returns both values as JSON or, if at least one is a text of several lines, their different lines. */
const compareValues = (before: unknown, after: unknown): Difference => {
  const values = [before, after].filter((value) => value !== undefined)
  const isText = values.every((value) => typeof value === 'string') && values.some((value) => value.includes('\n'))
  const toLines = (value: unknown): string[] => {
    if (value === undefined) return []
    return isText ? String(value).split('\n') : [toSafeJson(value)]
  }
  const { removed, added } = diffLines(toLines(before), toLines(after))
  if (!isText) return { removed, added }
  // Both sides have the same form, so that lines that differ never look the same.
  const isUnclear = [removed, added].some((lines) => lines.some((line) => unclear.test(line)))
  const format = (line: string) => (isUnclear || line === '' ? toSafeJson(line) : line)
  return { removed: removed.map(format), added: added.map(format) }
}

/** Prints a changed field with its old and new value. For a secret, the API returns neither value. */
export const printField = ({ print, paint }: Output, { pointer = '', before, after }: SettingsChange): void => {
  // The pointer starts with the path of the resource, such as `/flows/0` or `/project`.
  const field = toSafeLine(pointer.replace(/^\/(?:project|\w+\/\d+)\//, ''))
  if (before === undefined && after === undefined) {
    print(`    ${field}: is set (value hidden)`)
    return
  }
  const { removed, added } = compareValues(before, after)
  const from = before === undefined ? 'nothing' : removed[0]
  const to = after === undefined ? 'nothing' : added[0]
  const hasOneLine = from !== undefined && to !== undefined && removed.length < 2 && added.length < 2
  if (hasOneLine && field.length + from.length + to.length <= maxLineLength) {
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

/** Prints settings warnings to standard error. Their pointers must refer to the config. */
export const printWarnings = ({ warn }: Pick<Output, 'warn'>, warnings: SettingsApplied['warnings']): void => {
  for (const { pointer, message } of warnings) warn(`${toSafeLine(pointer)}  ${toSafeLine(message)}`)
}
