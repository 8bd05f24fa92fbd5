import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { createFailed } from '../bulk-actions.ts'
import { type Scenario, scenario } from '../scenario.ts'

/** Scenarios about dry runs of bulk actions. */
export const bulkActionPreviewScenarios: readonly Scenario[] = [
  scenario('bulkActions.create', 200, 'counts the deliveries that an action would select, and changes nothing', async (context) => {
    const { filter, code, ids } = await createFailed(context)
    const counted = await context.client.bulkActions.create({ action: 'retry', filter, dry_run: true })
    const expected = { matched: 2, is_complete: true, counts: [{ status: 'failed', failure_code: code, count: 2 }] }
    assertEqual(counted, expected, 'the counts for a retry')
    const cancel = await context.client.bulkActions.create({ action: 'cancel', filter, dry_run: true })
    assertEqual(cancel, { matched: 0, is_complete: true, counts: [] }, 'the counts for a cancellation')
    assertIncludes(await context.client.notifications.get(ids[0] ?? ''), { status: 'failed' }, 'a notification after the dry runs')
    const { data } = await context.client.bulkActions.list({ limit: 100 })
    assert(!data.some((action) => action.filter.project_id === filter.project_id), 'a dry run must create no action', data)
  }),

  scenario('bulkActions.create', 200, 'returns the most frequent failures first', async (context) => {
    const { project, filter, code, key } = await createFailed(context)
    await context.client.suppressions.create(project.id, { target: 'bounce@flowpost.test' })
    const json = { project_id: project.id, subject: 'Conformance', message: 'A message from the conformance suite.' }
    const { json: suppressed } = await context.http.expect('notifications.send', 202, { json, key })
    assertIncludes(suppressed, { status: 'failed' }, 'a notification to a suppressed recipient')
    const counted = await context.client.bulkActions.create({ action: 'retry', filter, dry_run: true })
    const counts = [
      { status: 'failed', failure_code: code, count: 2 },
      { status: 'failed', failure_code: 'suppressed', count: 1 },
    ]
    assertEqual(counted, { matched: 3, is_complete: true, counts }, 'the counts')
  }),
]
