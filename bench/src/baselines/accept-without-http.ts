import { Pool } from 'pg'
import { offer } from '../processes/calls.ts'
import { type AcceptTarget, acceptStatement } from './accept-statement.ts'
import type { BaselineStart } from './bare-server.ts'

// What storing alone costs, with nobody asking for it over a network.

let pool: Pool | undefined

const program = {
  start: async ({ databaseUrl, poolSize }: BaselineStart) => {
    pool = new Pool({ connectionString: databaseUrl, max: poolSize })
  },
  /** Runs one statement after the other on every connection. @returns statements a second. */
  saturate: async (job: { target: AcceptTarget; subject: string; message: string; warmUpMs: number; measuredMs: number }) => {
    const countFromMs = performance.now() + job.warmUpMs
    const endMs = countFromMs + job.measuredMs
    let count = 0
    const keepBusy = async () => {
      for (let nowMs = performance.now(); nowMs < endMs; nowMs = performance.now()) {
        await pool?.query(acceptStatement(job.target, job.subject, job.message))
        const doneMs = performance.now()
        if (doneMs >= countFromMs && doneMs < endMs) count += 1
      }
    }
    await Promise.all(Array.from({ length: pool?.options.max ?? 0 }, keepBusy))
    return (count * 1000) / job.measuredMs
  },
}

/** What the baseline offers. */
export type AcceptWithoutHttp = typeof program

offer(program)
