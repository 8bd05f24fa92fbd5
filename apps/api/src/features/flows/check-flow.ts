import type { FlowCheck } from '@flowpost/contract'
import { type CheckResult, DeliveryError, type ProviderClient, type Registry } from '@flowpost/delivery'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import type { Database } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Credentials, FoundCredential } from '../integrations/credentials.ts'
import { type FlowPath, getFlow } from './flow.queries.ts'
import type { FlowRow } from './flow.serializer.ts'
import { recordCheck } from './flow-health.ts'

/** What a check needs. */
export interface FlowCheckDeps {
  readonly database: Database
  readonly clock: Clock
  readonly registry: Registry
  readonly providerClient: ProviderClient
  readonly credentials: Credentials
}

const wrong = (name: string, code: string, detail: string): CheckResult => ({ name, ok: false, code, detail })

/** The finding for a credential that cannot be opened, or the credential. */
const openCredential = (found: FoundCredential) => {
  try {
    return { credential: found.open() }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return { finding: wrong('credential', error.code, error.detail) }
  }
}

const inspect = async (deps: FlowCheckDeps, principal: Principal, flow: FlowRow): Promise<readonly CheckResult[]> => {
  const provider = deps.registry.get(flow.source_type)
  if (!provider) return [wrong('provider', 'provider_not_served', `This deployment does not serve ${flow.source_type}.`)]
  const target = provider.parseTarget(flow.target)
  if (!target.ok) return [wrong('target', 'target_invalid', target.message)]
  const found = await deps.credentials.find(deps.database, {
    userId: principal.userId,
    projectId: flow.project_id,
    sourceType: flow.source_type,
  })
  if (!found) return [wrong('credential', 'integration_missing', `There are no credentials to deliver with through ${flow.source_type}.`)]
  const { credential, finding } = openCredential(found)
  if (!credential) return [finding]
  return deps.providerClient.check({ provider, credential, target: flow.target })
}

/**
 * Asks a flow's provider whether the credential works and the target can be reached, and notes the result
 * on the flow. Sends nothing. No transaction is open while the provider is asked.
 * @throws ApiError `not_found`.
 */
export const checkFlow = async (deps: FlowCheckDeps, principal: Principal, path: FlowPath): Promise<z.output<typeof FlowCheck>> => {
  const flow = await getFlow(deps.database, principal, path)
  const checks = await inspect(deps, principal, flow)
  // What was given up, when the server stops for one, tells nothing about the flow.
  if (!checks.some(({ code }) => code === 'aborted')) await recordCheck(deps.database, deps.clock, flow, checks)
  return { ok: checks.every(({ ok }) => ok), checks: [...checks] }
}
