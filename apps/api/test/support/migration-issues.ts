import type { Migration } from '../../src/database/migrate/migration.ts'

/** The tables that grow with the number of messages. */
const largeTables = new Set([
  'notifications',
  'deliveries',
  'attempts',
  'message_bodies',
  'delivery_jobs',
  'captured_messages',
  'idempotency_keys',
  'recipient_digests',
  'events',
  'event_attempts',
])

/** The tables whose indexes must be built concurrently: those that grow, and those that every message reads. */
const indexedConcurrently = new Set([...largeTables, 'projects', 'flows'])

/**
 * Patterns of statements that break processes of an earlier release, with the reasons. Only a migration with `requires` may
 * contain such statements.
 */
const contracting: readonly (readonly [RegExp, string])[] = [
  [/\bdrop (?!index concurrently if exists)/, 'removes something that an earlier release may use'],
  [/\brename\b/, 'renames something that an earlier release uses'],
  [/\bset schema\b/, 'moves something that an earlier release uses'],
  [/\balter (?:column )?\w+ (?:set data )?type\b/, 'changes the type of a column, which also rewrites the table'],
  [/\bset not null\b/, 'rejects rows that an earlier release writes'],
  [
    /\badd (?:column )?(?:if not exists )?\w+ (?:(?!\bdefault\b|, add\b).)*\bnot null\b(?!(?:(?!, add\b).)*\bdefault\b)/,
    'adds a required column without a default, which rejects rows from an earlier release',
  ],
  [/\badd (?:constraint|check|unique|primary|foreign|exclude)\b/, 'adds a constraint that may reject rows of an earlier release'],
  [/\bcreate unique index\b/, 'adds a constraint that may reject rows of an earlier release'],
  [/\btruncate\b/, 'deletes rows'],
]

/** Patterns of statements that hold up messages when they run on a large table, with the reasons. */
const blocking: readonly (readonly [RegExp, string])[] = [
  [/^(?:lock|cluster|reindex(?! \w+ concurrently)|vacuum full)\b/, 'locks a table for a long time'],
  [/\bdefault (?:gen_random_uuid|random|clock_timestamp|nextval)\b|\b(?:big)?serial\b|\bstored\b/, 'rewrites the table'],
]

/**
 * Returns whether a statement creates a unique index with a column that the migration adds without a default. The column is
 * null in every row that an earlier release writes. Null values count as distinct, so the index accepts these rows.
 */
const isUniqueOverNewColumn = (text: string, statements: readonly string[]): boolean => {
  const [, table, columns = ''] = /^create unique index (?:concurrently )?\w+ on (\w+) \(([\w, ]+)\)$/.exec(text) ?? []
  return columns
    .split(', ')
    .some((column) =>
      statements.some((other) => new RegExp(`^alter table ${table} add column (?:if not exists )?${column} \\w+$`).test(other)),
    )
}

const normalize = (statement: string): string => statement.replace(/\s+/g, ' ').trim().toLowerCase()

/** Returns the reasons why a migration cannot run beside processes of the previous release; empty if it can. */
export const migrationIssues = (migration: Migration, known: readonly Migration[]): string[] => {
  const statements = migration.statements.map(normalize)
  const created = new Set(statements.flatMap((text) => /^create table (?:if not exists )?(\w+)/.exec(text)?.[1] ?? []))
  const issues = [...indexIssues(migration, statements, created)]
  for (const text of statements) {
    if (text.startsWith('create table') || isUniqueOverNewColumn(text, statements)) continue
    const rules = migration.requires === undefined ? [...contracting, ...blocking] : blocking
    for (const [pattern, reason] of rules) if (pattern.test(text)) issues.push(`${text}: ${reason}`)
    const [, updated] = /^(?:update|delete from) (\w+)/.exec(text) ?? []
    if (updated !== undefined && largeTables.has(updated) && !/\blimit\b/.test(text)) issues.push(`${text}: changes rows without a limit`)
  }
  const altered = new Set(statements.flatMap((text) => /^alter table (?:if exists )?(\w+)/.exec(text)?.[1] ?? []))
  const locked = [...altered].filter((table) => largeTables.has(table) && !created.has(table))
  if (migration.transactional !== false && locked.length > 1)
    issues.push(`locks ${locked.join(' and ')}: messages wait for one while it waits for the other; write a migration for each`)
  const position = known.findIndex(({ name }) => name === migration.name)
  if (migration.requires !== undefined && !known.slice(0, position).some(({ name }) => name === migration.requires))
    issues.push(`requires ${migration.requires}, which is not an earlier migration`)
  return issues
}

/** Yields the issues with the indexes that a migration creates. */
function* indexIssues(migration: Migration, statements: readonly string[], created: ReadonlySet<string>): Generator<string> {
  for (const [position, text] of statements.entries()) {
    const [, concurrently, name, table = ''] =
      /^create (?:unique )?index (concurrently )?(?:if not exists )?(\w+) on (\w+)/.exec(text) ?? []
    if (name === undefined) continue
    if (concurrently === undefined) {
      if (indexedConcurrently.has(table) && !created.has(table)) yield `${text}: blocks messages; create it concurrently`
      continue
    }
    if (migration.transactional !== false) yield `${text}: needs \`transactional: false\``
    // A failed attempt leaves an invalid index.
    if (statements[position - 1] !== `drop index concurrently if exists ${name}`)
      yield `${text}: must follow \`drop index concurrently if exists ${name}\``
  }
}
