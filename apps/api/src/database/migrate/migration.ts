/**
 * A change of the schema. Processes of the previous release keep using the migrated database, so a migration only adds to
 * the schema: see docs/decisions/0019-rolling-upgrades.md. Never change a released migration.
 */
export interface Migration {
  /** The time at which it was written and a short name. Migrations run in the order of their names. */
  readonly name: string
  readonly statements: readonly string[]
  /**
   * Whether the statements run in one transaction. `create index concurrently` needs `false`: then each statement commits
   * alone, and a later run starts with the first statement again.
   * @default true
   */
  readonly transactional?: boolean
  /**
   * The newest migration that a process must know once this one is applied. A migration that removes something names
   * the migration of the release that stopped using it.
   */
  readonly requires?: string
}

/** Splits SQL into statements, at the semicolons. */
export const statementsOf = (text: string): string[] =>
  text
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
