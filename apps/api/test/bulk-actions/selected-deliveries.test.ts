import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import {
  countMatching,
  findMatching,
  lockMatching,
  type Position,
  type Selection,
} from '../../src/features/bulk-actions/selected-deliveries.ts'
import { fromId, highestUuid, lowestUuid } from '../../src/shared/ids.ts'
import { addFailedDeliveries } from './failed-deliveries.ts'
import { openTemplateDatabase, type TemplateDatabase } from './template-database.ts'

let opened: TemplateDatabase
let database: Database
let selection: Selection
beforeAll(async () => {
  opened = await openTemplateDatabase()
  database = opened.database
  selection = {
    action: 'retry',
    projectId: fromId('project', opened.filter.project_id) ?? '',
    filter: { flow_id: null, source_type: null, status: null, failure_kind: null, failure_code: '451' },
    lastNotificationId: highestUuid,
  }
})
afterAll(() => opened?.[Symbol.asyncDispose]())

const failedCount = 5
beforeEach(async () => {
  await database.query(`delete from deliveries where target <> 'ops@example.com'`)
  await addFailedDeliveries(database.query, failedCount, (number) => `${number}@example.com`)
})

const start: Position = { notificationId: lowestUuid, deliveryId: lowestUuid }
const maxDeliveries = 100
const limits = { notifications: 1_000, deliveries: 1_000 }

describe('a delivery that changes after the search', () => {
  it.each([
    ['was sent', "status = 'sent', failure = null"],
    ['failed with another code', `failure = jsonb_set(failure, '{code}', '"other"')`],
  ])('is not changed by the bulk action if it %s', async (_, change) => {
    const { deliveryIds } = await findMatching(database, selection, start, maxDeliveries, limits)
    expect(deliveryIds).toHaveLength(failedCount)
    const [changed, ...others] = deliveryIds
    await database.query(`update deliveries set ${change} where id = $1`, [changed])
    const locked = await database.transaction((on) => lockMatching(on, selection, deliveryIds))
    expect(locked.map(({ id }) => id)).toEqual(others)
  })
})

// Each page after the first starts with the last notification of the previous page.
it('finds and counts each delivery once when notifications are read in pages', async () => {
  const pages = { ...limits, notifications: 3 }
  const found: string[] = []
  let counted = 0
  for (let after: Position | undefined = start; after; ) {
    const { deliveryIds, next } = await findMatching(database, selection, after, maxDeliveries, pages)
    const { counts, next: same } = await countMatching(database, selection, after, pages)
    expect(same).toEqual(next)
    found.push(...deliveryIds)
    counted += counts.reduce((sum, { count }) => sum + count, 0)
    after = next
  }
  expect([found.length, new Set(found).size, counted]).toEqual([failedCount, failedCount, failedCount])
})
