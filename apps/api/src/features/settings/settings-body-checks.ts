import { api, type FieldError, Key } from '@flowpost/contract'
import { type BodyIssue, findSettingsIssues, firstErrorPerField } from '@flowpost/contract/rules'
import type { Registry } from '@flowpost/delivery'
import { type Channels, findChannelIssues, findTemplateIssues } from '@flowpost/domain'
import type { Principal } from '../../auth/principal.ts'
import type { Database } from '../../database/database.ts'
import type { BodyCheck } from '../../http/check-bodies.ts'
import { toBodyErrors, validationFailed } from '../../shared/api-error.ts'
import type { Encryption } from '../../shared/encryption.ts'
import { allIntegrations, type IntegrationWithSecrets } from '../integrations/integration.queries.ts'
import { mergeIntegrationBody } from '../integrations/integration-secrets.ts'
import { findByKey } from '../projects/project.queries.ts'

/** The dependencies of {@link lateSettingsChecks}. */
export interface SettingsBodyCheckDeps {
  readonly database: Database
  readonly registry: Registry
  readonly channels: Channels
  readonly encryption: Encryption
}

/**
 * Reads the stored integrations of the project whose key is in a settings document. Returns an empty list if the document
 * has no valid project key or no list of integrations, or if the project does not exist.
 */
const storedIntegrations = async (database: Database, principal: Principal, body: object): Promise<readonly IntegrationWithSecrets[]> => {
  const { project, integrations } = body as { project?: { key?: unknown } | null; integrations?: unknown }
  const key = Key.safeParse(project?.key)
  if (!key.success || !Array.isArray(integrations)) return []
  const stored = await findByKey(database, principal, key.data)
  return stored ? allIntegrations(database, stored.id) : []
}

/**
 * Merges a document's integrations with the stored ones, and returns the issues that the providers' rules find in the
 * result. If the document has two integrations for the same provider, the second is always rejected, so the provider's
 * rules are not applied to it.
 */
const findIntegrationErrors = async (deps: SettingsBodyCheckDeps, principal: Principal, body: unknown): Promise<FieldError[]> => {
  if (body === null || typeof body !== 'object') return []
  const { database, registry, channels, encryption } = deps
  const stored = await storedIntegrations(database, principal, body)
  const integration = (given: { readonly source_type?: unknown; readonly settings?: unknown }): readonly BodyIssue[] => {
    const { source_type } = given
    if (typeof source_type !== 'string') return []
    const provider = registry.get(source_type)
    if (!provider) return findChannelIssues(channels, { source_type })
    const current = stored.find((row) => row.source_type === source_type)
    return mergeIntegrationBody(encryption, provider, current, given).errors
  }
  return firstErrorPerField(toBodyErrors(findSettingsIssues(body, { flow: () => [], integration })))
}

/**
 * Rejects a document with invalid integrations. Call this after the idempotency lookup, because the result depends on the
 * stored integrations.
 * @throws ApiError `validation_failed`.
 */
export const requireValidIntegrations = async (deps: SettingsBodyCheckDeps, principal: Principal, body: unknown): Promise<void> => {
  const errors = await findIntegrationErrors(deps, principal, body)
  if (errors.length > 0) throw validationFailed(errors)
}

/** Returns the body checks of the settings routes. They apply the channel and template rules to each flow. */
export const settingsBodyChecks = ({ channels }: Pick<SettingsBodyCheckDeps, 'channels'>): ReadonlyMap<unknown, BodyCheck> => {
  const flow = (given: object) => [...findChannelIssues(channels, given), ...findTemplateIssues(given)]
  return new Map([[api.settings.apply, async ({ body }) => toBodyErrors(findSettingsIssues(body, { flow, integration: () => [] }))]])
}

/**
 * Returns the check of a document's integrations, for `BodyChecks.late`. The check runs only if the request has failed
 * another check, so that one response lists all issues. Otherwise, the route's handler calls
 * {@link requireValidIntegrations}.
 */
export const lateSettingsChecks = (deps: SettingsBodyCheckDeps): ReadonlyMap<unknown, BodyCheck> =>
  new Map([[api.settings.apply, (request, principal) => findIntegrationErrors(deps, principal, request.body)]])
