import type { Logger } from 'pino'
import type { Queryable } from './database.ts'

interface Answer {
  readonly autovacuum: string
  readonly track_counts: string
  /** Those of our tables that are left out, with commas between them. */
  readonly tables: string | null
}

// By owner, since others may have tables in the same schema.
const question = `
  select current_setting('autovacuum') as autovacuum, current_setting('track_counts') as track_counts,
    (select string_agg(format('%I.%I', n.nspname, c.relname), ', ' order by n.nspname, c.relname)
     from pg_class c join pg_namespace n on n.oid = c.relnamespace, pg_options_to_table(c.reloptions) o
     where c.relkind = 'r' and n.nspname = current_schema() and pg_get_userbyid(c.relowner) = current_user
       and case when o.option_name = 'autovacuum_enabled' then not o.option_value::boolean else false end) as tables`

interface Fault {
  readonly wrong: string
  readonly right: string
}

const faultsOf = ({ autovacuum, track_counts, tables }: Answer): Fault[] => {
  const faults: Fault[] = []
  if (autovacuum === 'off') faults.push({ wrong: 'autovacuum is off', right: 'set autovacuum = on in postgresql.conf' })
  // Autovacuum goes by the counts: https://www.postgresql.org/docs/current/routine-vacuuming.html#AUTOVACUUM
  if (track_counts === 'off')
    faults.push({ wrong: 'track_counts is off, without which autovacuum does nothing', right: 'set track_counts = on in postgresql.conf' })
  if (tables !== null)
    faults.push({ wrong: `autovacuum_enabled is false for ${tables}`, right: 'alter table … reset (autovacuum_enabled) on each of these' })
  return faults
}

const why =
  'The room of rows that are gone is not used again, and plans are made without current statistics: tables grow and everything gets slow.'

/**
 * Warns the operator of a PostgreSQL server that does not vacuum and analyze our tables. What comes of that shows days later,
 * when nothing points at its cause. It never throws: a server can be started without.
 */
export const warnWithoutAutovacuum = async (database: Queryable, log: Logger): Promise<void> => {
  try {
    const faults = (await database.query<Answer>(question)).flatMap(faultsOf)
    if (faults.length === 0) return
    const list = (key: keyof Fault) => faults.map((fault) => fault[key]).join('; ')
    log.warn(
      `PostgreSQL does not look after Flowpost's tables: ${list('wrong')}. ${why} What to do: ${list('right')} (docs/operations.md).`,
    )
  } catch (error) {
    log.debug({ err: error }, 'Whether autovacuum is on could not be found out.')
  }
}
