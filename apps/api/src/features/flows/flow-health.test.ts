import type { Failure } from '@flowpost/domain'
import { expect, it } from 'vitest'
import type { Transaction } from '../../database/database.ts'
import { systemClock } from '../../shared/clock.ts'
import { type DeliveryOutcome, recordFlowHealth } from './flow-health.ts'

const flow = {
  id: 'flow',
  project_id: 'project',
  source_type: 'slack',
  target: 'C024BE91L',
  health_status: 'unknown',
  health_code: null,
  health_detail: null,
  health_since: null,
  failing_kind: null,
  failures_in_row: 0,
  has_events: true,
}
const rejected: Failure = { kind: 'credential', code: 'invalid_auth', detail: 'The credential was rejected.', retryable: false }

/** Records outcomes of `source_type` for a Slack flow, and returns the health that is stored, if any. */
const record = async (source_type: string, outcomes: readonly DeliveryOutcome['outcome'][]) => {
  const stored: { readonly status: string }[] = []
  const transaction = {
    query: async (statement: string | object, [rows]: readonly unknown[]) => {
      if (typeof statement !== 'string') return [flow]
      stored.push(...JSON.parse(String(rows)))
      return []
    },
    invalidate: () => {},
  } as unknown as Transaction
  const attempt = { flow_id: flow.id, source_type, target: flow.target, captured: false }
  const facts = await recordFlowHealth(
    transaction,
    systemClock,
    outcomes.map((outcome) => ({ attempt, outcome })),
  )
  return { stored: stored.map(({ status }) => status), facts: facts.map(({ type }) => type) }
}

it.each<[string, DeliveryOutcome['outcome'][], string]>([
  ['sent', [{ status: 'sent' }], 'healthy'],
  ['rejected', Array.from({ length: 10 }, () => ({ status: 'failed', failure: rejected })), 'unhealthy'],
])('changes with messages that were %s, but only those to the current provider of the flow', async (_, outcomes, status) => {
  expect(await record('slack', outcomes)).toEqual({ stored: [status], facts: [`flow.${status}`] })
  expect(await record('smtp', outcomes)).toEqual({ stored: [], facts: [] })
})
