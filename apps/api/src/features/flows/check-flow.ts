import type { FlowCheck } from '@flowpost/contract'
import { type CheckResult, DeliveryError, type ProviderClient, type Registry } from '@flowpost/delivery'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import type { FoundCredential } from '../integrations/credentials.ts'
import { type FlowPath, getFlow } from './flow.queries.ts'
import type { FlowRow } from './flow.serializer.ts'
import { type RecordCheckDeps, recordCheck } from './flow-health.ts'

/** The dependencies of {@link checkFlow}. */
export interface CheckFlowDeps extends RecordCheckDeps {
  readonly registry: Registry
  readonly providerClient: ProviderClient
}

const failed = (name: string, code: string, detail: string): CheckResult => ({ name, ok: false, code, detail })

/** Decrypts a credential's secrets. Returns a failed check if they cannot be decrypted. */
const openCredential = (found: FoundCredential) => {
  try {
    return { credential: found.open() }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return { failure: failed('credential', error.code, error.detail) }
  }
}

const runChecks = async (
  { registry, providerClient }: CheckFlowDeps,
  flow: FlowRow,
  found: FoundCredential | undefined,
): Promise<readonly CheckResult[]> => {
  const provider = registry.get(flow.source_type)
  if (!provider) return [failed('provider', 'provider_not_served', `No provider is registered for ${flow.source_type}.`)]
  const target = provider.parseTarget(flow.target)
  if (!target.ok) return [failed('target', 'target_invalid', target.message)]
  if (!found) return [failed('credential', 'integration_missing', `No credentials are configured for ${flow.source_type}.`)]
  const { credential, failure } = openCredential(found)
  if (!credential) return [failure]
  return providerClient.check({ provider, credential, target: flow.target })
}

/**
 * Asks a flow's provider whether the credential works and the target exists, and records the result in the flow's
 * health. Sends no message, and opens no transaction while calling the provider.
 * @throws ApiError `not_found`.
 */
export const checkFlow = async (deps: CheckFlowDeps, principal: Principal, path: FlowPath): Promise<z.output<typeof FlowCheck>> => {
  const flow = await getFlow(deps.database, principal, path)
  const query = { userId: principal.userId, projectId: flow.project_id, sourceType: flow.source_type }
  const found = await deps.credentials.find(deps.database, query)
  const checks = await runChecks(deps, flow, found)
  // A check that was aborted because the server is stopping says nothing about the flow.
  if (!checks.some(({ code }) => code === 'aborted')) await recordCheck(deps, { flow, query, credentialId: found?.id, checks })
  return { ok: checks.every(({ ok }) => ok), checks: [...checks] }
}
