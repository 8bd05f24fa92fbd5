import type { OperatorKey } from '../features/api-keys/key-commands.ts'

const columns: readonly (readonly [string, (key: OperatorKey) => string])[] = [
  ['ID', (key) => key.id],
  ['USER', (key) => key.user_id],
  ['NAME', (key) => key.name],
  ['SCOPES', (key) => key.scopes.join(',')],
  ['PROJECT', (key) => key.project_id ?? '-'],
  ['EXPIRES', (key) => key.expires_at ?? 'never'],
  ['LAST USED', (key) => key.last_used_at ?? 'never'],
  ['CREATED', (key) => key.created_at],
]

/** Keys as a table, a line each. */
export const keyTable = (keys: readonly OperatorKey[]): string => {
  const rows = [columns.map(([title]) => title), ...keys.map((key) => columns.map(([, cell]) => cell(key)))]
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
