import { Pool } from 'pg'
import { type RepeatJob, repeatCalls } from '../load/repeat-calls.ts'
import { expose } from '../processes/rpc.ts'
import { type AcceptTarget, acceptStatement } from './accept-statement.ts'
import type { BaselineStart } from './bare-server.ts'

// Measures the baseline's statement alone, without HTTP.

interface AcceptJob extends Omit<RepeatJob, 'concurrency'> {
  readonly target: AcceptTarget
  readonly subject: string
  readonly message: string
}

let pool: Pool | undefined

const program = {
  start: async ({ databaseUrl, poolSize }: BaselineStart) => {
    pool = new Pool({ connectionString: databaseUrl, max: poolSize })
  },
  /** Keeps every connection busy with one statement at a time. Returns the number of statements per second. */
  saturate: async ({ target, subject, message, ...period }: AcceptJob) => {
    const concurrency = pool?.options.max ?? 0
    return repeatCalls({ concurrency, ...period }, async () => pool?.query(acceptStatement(target, subject, message)))
  },
}

/** The functions that the baseline process exposes. */
export type AcceptWithoutHttp = typeof program

expose(program)
