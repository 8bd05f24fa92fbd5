/**
 * A schema change. Processes of the previous release keep using the migrated database, so a migration only adds to the
 * schema: see docs/decisions/0019-rolling-upgrades.md. Never change a released migration.
 */
export interface Migration {
  /** The time at which the migration was written, and a short name. Migrations run in the order of their names. */
  readonly name: string
  readonly statements: readonly string[]
  /**
   * Whether the statements run in one transaction. `create index concurrently` requires `false`. Each statement then
   * commits separately, and a retry starts over with the first statement.
   * @default true
   */
  readonly transactional?: boolean
  /**
   * Keeps old releases from using the database after this migration: only a process that knows the migration with this name
   * can start. Set it if this migration removes something, such as a column. Name the last migration of the release that
   * stopped using the removed part.
   */
  readonly requires?: string
}

/** Splits SQL into statements at the semicolons. */
export const statementsOf = (text: string): string[] =>
  text
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
