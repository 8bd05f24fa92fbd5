import { describe, expect, it } from 'vitest'
import type { Principal } from '../../auth/principal.ts'
import { textOf } from '../../database/database.ts'
import { newUuid, type Uuid } from '../../shared/ids.ts'
import { createWaitLimit } from '../../shared/wait-limit.ts'
import { createCompletions } from '../delivery/completion-watch.ts'
import { decodeFeedCursor } from './feed-cursor.ts'
import { createFeedReader, type FeedReaderDeps } from './read-feed.ts'

const principal = { userId: 'alice', rateLimitKey: 'alice' } as Principal

/**
 * Creates a feed reader on a fake database whose events all have another type than `flow.unhealthy`, except the last one.
 * The list `statements` contains the names of the executed statements.
 */
const createReader = (events: number | (() => number), { endsWithMatch = true, isHeldBack = (): boolean => false } = {}) => {
  const statements: string[] = []
  const query: FeedReaderDeps['database']['query'] = async <Row extends object>(
    statement: Parameters<FeedReaderDeps['database']['query']>[0],
    values: readonly unknown[] = [],
  ) => {
    statements.push(typeof statement === 'string' ? textOf(statement) : statement.name)
    const [position, , limit] = values as [string, Uuid, number]
    const after = Number(position)
    const eventCount = typeof events === 'number' ? events : Math.floor(events())
    if (textOf(statement).includes('exists')) return [{ found: after < eventCount }] as Row[]
    const end = isHeldBack() ? after : Math.min(eventCount, after + limit)
    return Array.from({ length: Math.max(0, end - after) }, (_, index) => {
      const isMatch = endsWithMatch && after + index + 1 === eventCount
      const data = isMatch ? '{}' : null
      return { id: newUuid(), position: `${after + index + 1}`, type: 'flow.unhealthy', created_at: new Date().toISOString(), data }
    }) as object[] as Row[]
  }
  const wakes = createCompletions({ listen: async () => async () => {} })
  const read = createFeedReader({ database: { query }, wakes, limitWaits: createWaitLimit() })
  const readUnhealthy = (waitMs?: number) =>
    read(
      principal,
      { limit: 10, type: 'flow.unhealthy' },
      waitMs === undefined ? undefined : { waitMs, disconnected: new AbortController().signal },
    )
  return { statements, readUnhealthy }
}

describe('a feed reader that waits for a rare type', () => {
  it('examines all readable events without waiting for other transactions', async () => {
    const { statements, readUnhealthy } = createReader(3_500)
    expect((await readUnhealthy(60_000)).data).toHaveLength(1)
    expect(statements).toEqual(Array(4).fill('events-of-user'))
  })

  it('waits while an open transaction holds events back', async () => {
    let checks = 0
    const { statements, readUnhealthy } = createReader(1, { isHeldBack: () => ++checks <= 2 })
    expect((await readUnhealthy(60_000)).data).toHaveLength(1)
    const pair = ['events-of-user', 'has-events-of-user']
    expect(statements).toEqual([...pair, ...pair, 'events-of-user'])
  })

  it('reads at most 40 times a second while other events arrive all the time', async () => {
    const startedMs = performance.now()
    const { statements, readUnhealthy } = createReader(() => 1 + 10 * (performance.now() - startedMs), { endsWithMatch: false })
    await readUnhealthy(500)
    expect(statements.length).toBeLessThanOrEqual(22)
    expect(new Set(statements)).toEqual(new Set(['events-of-user']))
  })

  it('returns an empty page when the time is up, and has advanced the cursor', async () => {
    const { statements, readUnhealthy } = createReader(Number.MAX_SAFE_INTEGER, { endsWithMatch: false })
    const { data, cursor } = await readUnhealthy(50)
    expect(data).toEqual([])
    expect(statements.length).toBeGreaterThan(1)
    const { position } = decodeFeedCursor({ user_id: 'alice', project_id: undefined, type: 'flow.unhealthy' }, cursor)
    expect(Number(position)).toBe(1_000 * statements.length)
  })
})
