import { updateHealthAfterCheck } from '@flowpost/domain'
import type { EventLog } from '../events/event-log.ts'
import type { DeliveryFaults } from '../faults/delivery-faults.ts'
import type { FlowCheck } from '../state/api-types.ts'
import { type MockContext, providerOf, timestamp } from '../state/mock-context.ts'
import type { FlowRecord } from '../state/store.ts'
import { hasCredential } from './plan-notification.ts'

type Check = FlowCheck['checks'][number]

const failedCheck = (name: string, code: string, detail: string): Check => ({ name, ok: false, code, detail })
const passedCheck = (name: string, detail: string): Check => ({ name, ok: true, code: 'ok', detail })

const runChecks = (context: MockContext, faults: DeliveryFaults, flow: FlowRecord): Check[] => {
  const { source_type } = flow
  const provider = providerOf(context, source_type)
  if (!provider) return [failedCheck('provider', 'provider_not_served', `No provider is registered for ${source_type}.`)]
  const target = provider.parseTarget(flow.target)
  if (!target.ok) return [failedCheck('target', 'target_invalid', target.message)]
  if (!hasCredential(context, flow.project_id, source_type))
    return [failedCheck('credential', 'integration_missing', `No credentials are configured for ${source_type}.`)]
  const failure = faults.peek(flow.target)
  if (failure?.kind === 'credential') return [failedCheck('authenticate', failure.code, failure.detail)]
  const authenticated = passedCheck('authenticate', 'The provider accepted the credential.')
  return failure ? [authenticated, failedCheck('target', failure.code, failure.detail)] : [authenticated]
}

/** Simulates a check of a flow with its provider, and stores the result as the flow's health. */
export const checkFlow = (
  context: MockContext,
  { faults, events }: { readonly faults: DeliveryFaults; readonly events: EventLog },
  flow: FlowRecord,
): FlowCheck => {
  const checks = runChecks(context, faults, flow)
  const now = timestamp(context)
  const after = { ...flow, condition: updateHealthAfterCheck(flow.condition, checks, now), checked_at: now }
  context.store.flows.set(flow.id, after)
  events.recordHealth(after, flow.condition)
  return { ok: checks.every(({ ok }) => ok), checks }
}
