import type { Queryable } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'
import { backlogOf } from './delivery-jobs.ts'

/** What projects have waiting, for who asks many times a second. */
export interface Backlog {
  /** How many deliveries each project has waiting, as of moments ago, and what this process has added since. */
  of(projectIds: readonly Uuid[]): Promise<ReadonlyMap<Uuid, number>>
  /** Notes deliveries that were added. */
  add(projectId: Uuid, count: number): void
}

const keptMs = 250
const mostKept = 10_000

/** Counts again what was counted too long ago. */
export const createBacklog = (deps: { database: Queryable; nowMs: () => number }): Backlog => {
  const { database, nowMs } = deps
  const counted = new Map<Uuid, { waiting: number; untilMs: number }>()
  return {
    of: async (projectIds) => {
      const now = nowMs()
      const unknown = projectIds.filter((id) => (counted.get(id)?.untilMs ?? 0) <= now)
      if (unknown.length > 0) {
        if (counted.size > mostKept) counted.clear()
        for (const [id, waiting] of await backlogOf(database, unknown)) counted.set(id, { waiting, untilMs: now + keptMs })
      }
      return new Map(projectIds.map((id) => [id, counted.get(id)?.waiting ?? 0]))
    },
    add: (projectId, count) => {
      const known = counted.get(projectId)
      if (known) known.waiting += count
    },
  }
}
