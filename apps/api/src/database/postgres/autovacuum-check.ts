import type { Logger } from 'pino'
import type { Queryable } from '../database.ts'

interface Settings {
  readonly autovacuum: string
  readonly track_counts: string
  /** Flowpost's tables that are excluded from autovacuum, comma-separated. */
  readonly tables: string | null
}

// Filters by owner, because the schema may contain other applications' tables.
const settingsQuery = `
  select current_setting('autovacuum') as autovacuum, current_setting('track_counts') as track_counts,
    (select string_agg(format('%I.%I', n.nspname, c.relname), ', ' order by n.nspname, c.relname)
     from pg_class c join pg_namespace n on n.oid = c.relnamespace, pg_options_to_table(c.reloptions) o
     where c.relkind = 'r' and n.nspname = current_schema() and pg_get_userbyid(c.relowner) = current_user
       and case when o.option_name = 'autovacuum_enabled' then not o.option_value::boolean else false end) as tables`

interface Issue {
  readonly problem: string
  readonly remedy: string
}

const issuesOf = ({ autovacuum, track_counts, tables }: Settings): Issue[] => {
  const issues: Issue[] = []
  if (autovacuum === 'off') issues.push({ problem: 'autovacuum is off', remedy: 'set autovacuum = on in postgresql.conf' })
  // With `track_counts`, PostgreSQL counts changed rows. Autovacuum needs these counts:
  // https://www.postgresql.org/docs/current/routine-vacuuming.html#AUTOVACUUM
  if (track_counts === 'off')
    issues.push({ problem: 'track_counts is off, which disables autovacuum', remedy: 'set track_counts = on in postgresql.conf' })
  if (tables !== null)
    issues.push({
      problem: `autovacuum_enabled is false for ${tables}`,
      remedy: 'run alter table … reset (autovacuum_enabled) for each of them',
    })
  return issues
}

const consequence =
  'The space that deleted rows occupy is not reused, and planner statistics become outdated: tables grow and statements slow down.'

/**
 * Warns when the PostgreSQL server does not vacuum and analyze Flowpost's tables. Without this warning, the effect would
 * be noticed only days later. Never rejects, because Flowpost also works without autovacuum.
 */
export const warnWithoutAutovacuum = async (database: Queryable, log: Logger): Promise<void> => {
  try {
    const issues = (await database.query<Settings>(settingsQuery)).flatMap(issuesOf)
    if (issues.length === 0) return
    const list = (key: keyof Issue) => issues.map((issue) => issue[key]).join('; ')
    log.warn(
      `PostgreSQL does not vacuum Flowpost's tables: ${list('problem')}. ${consequence} To fix: ${list('remedy')} (docs/operations.md).`,
    )
  } catch (error) {
    log.debug({ err: error }, 'Could not read the autovacuum settings.')
  }
}
