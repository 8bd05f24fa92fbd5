/**
 * A schema change. Processes of the previous release keep using the migrated database, so a migration removes only what
 * that release does not use: see docs/decisions/0019-rolling-upgrades.md. Never change a released migration.
 */
export interface Migration {
  /** The time at which the migration was written, and a short name. Migrations run in the order of their names. */
  readonly name: string
  readonly statements: readonly string[]
  /**
   * Whether the statements run in one transaction. `create index concurrently` requires `false`. With `false`, each
   * statement commits separately, and a retry starts over with the first statement.
   * @default true
   */
  readonly transactional?: boolean
  /**
   * The name of another migration. After the migration that declares `requires` is applied, a release can start only if it
   * contains the other one. Needed to remove something, such as a column. The other migration is then the last one of the
   * release that stopped using the removed part.
   */
  readonly requires?: string
}

/** Splits SQL into statements at the semicolons. */
export const statementsOf = (text: string): string[] =>
  text
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
