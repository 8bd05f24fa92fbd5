import { updateHealthAfterCheck } from '@flowpost/domain'
import type { DeliveryFaults } from '../faults/delivery-faults.ts'
import type { FlowRecord } from '../state/records.ts'
import type { FlowCheck } from '../state/wire.ts'
import { providerOf, timestamp, type World } from '../state/world.ts'
import { hasCredential } from './credentials.ts'

type Finding = FlowCheck['checks'][number]

const wrong = (name: string, code: string, detail: string): Finding => ({ name, ok: false, code, detail })
const good = (name: string, detail: string): Finding => ({ name, ok: true, code: 'ok', detail })

const inspect = (world: World, faults: DeliveryFaults, flow: FlowRecord): Finding[] => {
  const { source_type } = flow
  const provider = providerOf(world, source_type)
  if (!provider) return [wrong('provider', 'provider_not_served', `This deployment does not serve ${source_type}.`)]
  const target = provider.parseTarget(flow.target)
  if (!target.ok) return [wrong('target', 'target_invalid', target.message)]
  if (!hasCredential(world, flow.project_id, source_type))
    return [wrong('credential', 'integration_missing', `No credentials are configured for ${source_type}.`)]
  const failure = faults.peek(flow.target)
  if (failure?.kind === 'credential') return [wrong('authenticate', failure.code, failure.detail)]
  const authenticated = good('authenticate', 'The provider accepted the credential.')
  return failure ? [authenticated, wrong('target', failure.code, failure.detail)] : [authenticated]
}

/** Checks a flow as its provider would, and notes the result on the flow. */
export const checkFlow = (world: World, faults: DeliveryFaults, flow: FlowRecord): FlowCheck => {
  const checks = inspect(world, faults, flow)
  const now = timestamp(world)
  world.store.flows.set(flow.id, { ...flow, condition: updateHealthAfterCheck(flow.condition, checks, now), checked_at: now })
  return { ok: checks.every(({ ok }) => ok), checks }
}
