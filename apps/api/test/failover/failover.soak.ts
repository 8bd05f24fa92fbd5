import { appendFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runFailovers } from './failover-run.ts'
import { findPrograms } from './programs.ts'

const minutes = Number(process.env['FLOWPOST_FAILOVER_MINUTES'] ?? 5)
const perSecond = Number(process.env['FLOWPOST_FAILOVER_RATE'] ?? 200)
const seed = Number(process.env['FLOWPOST_FAILOVER_SEED'] ?? 1)
/** The file to which a long run appends its progress. */
const logFile = process.env['FLOWPOST_FAILOVER_LOG']

const programs = findPrograms()
/** The maximum time from a promotion until Flowpost accepts and sends messages normally, in milliseconds. */
const maxAfterPromotionMs = 10_000
/**
 * The maximum time from the loss of the synchronous standby until Flowpost accepts and sends messages normally, in
 * milliseconds. No commit returns until Patroni has chosen another standby.
 */
const maxWithoutStandbyMs = 20_000

const print = (line: string): void => {
  console.info(line)
  if (logFile) appendFileSync(logFile, `${new Date().toISOString()} ${line}\n`)
}

describe.skipIf(programs === undefined)('failovers (need the programs of PostgreSQL, Patroni, etcd and HAProxy)', () => {
  it(
    `for ${minutes} minutes at ${perSecond} messages a second lose no message and fail no call`,
    async () => {
      if (!programs) return
      const report = await runFailovers({ minutes, perSecond, seed }, programs, print)
      print(JSON.stringify({ ...report, failed: report.failed.slice(0, 10).map(String), errors: report.errors.slice(0, 10) }, undefined, 2))
      const { lost, unexpected, unexplained, failed, exits, errors } = report
      expect({ lost, unexpected, unexplained, failed, exits, errors }).toEqual({
        lost: [],
        unexpected: [],
        unexplained: [],
        failed: [],
        exits: [],
        errors: [],
      })
      // Each API has also sent one message after the faults.
      expect(report.statuses).toEqual({ sent: report.messages + report.waitsMs.length })
      const limitOf = (promotionMs: number) => (promotionMs > 0 ? maxAfterPromotionMs : maxWithoutStandbyMs)
      const tooSlow = report.faults.filter(({ promotionMs, resumedMs }) => resumedMs > limitOf(promotionMs))
      expect(tooSlow).toEqual([])
      expect(Math.max(...report.waitsMs)).toBeLessThan(5_000)
    },
    (minutes + 15) * 60_000,
  )
})
