import { api, Key } from '@flowpost/contract'
import { type BodyIssue, findSettingsIssues } from '@flowpost/contract/rules'
import type { Registry } from '@flowpost/delivery'
import { type Channels, findChannelIssues, findTemplateIssues } from '@flowpost/domain'
import type { Principal } from '../../auth/principal.ts'
import type { Database } from '../../database/database.ts'
import type { BodyCheck } from '../../http/check-bodies.ts'
import { toBodyErrors } from '../../shared/api-error.ts'
import type { Encryption } from '../../shared/encryption.ts'
import { allIntegrations, type IntegrationWithSecrets } from '../integrations/integration.queries.ts'
import { mergeIntegrationBody } from '../integrations/integration-secrets.ts'
import { findByKey } from '../projects/project.queries.ts'

/** The dependencies of {@link settingsBodyChecks}. */
export interface SettingsBodyCheckDeps {
  readonly database: Database
  readonly registry: Registry
  readonly channels: Channels
  readonly encryption: Encryption
}

/**
 * Reads the stored integrations of the project that a settings document describes. Returns an empty list if the
 * document has no integrations or the project does not exist.
 */
const storedIntegrations = async (database: Database, principal: Principal, body: object): Promise<readonly IntegrationWithSecrets[]> => {
  const { project, integrations } = body as { project?: { key?: unknown } | null; integrations?: unknown }
  const key = Key.safeParse(project?.key)
  if (!key.success || !Array.isArray(integrations)) return []
  const stored = await findByKey(database, principal, key.data)
  return stored ? allIntegrations(database, stored.id) : []
}

/**
 * Returns the body checks of the settings routes. They apply the channel and template rules to each flow, and the
 * provider's rules to each integration. A second integration for the same provider is always rejected, so the provider's
 * rules are not applied to it. One response lists all issues.
 */
export const settingsBodyChecks = (deps: SettingsBodyCheckDeps): ReadonlyMap<unknown, BodyCheck> => {
  const { database, registry, channels, encryption } = deps
  const checkApply: BodyCheck = async ({ body }: { readonly body: unknown }, principal) => {
    if (body === null || typeof body !== 'object') return []
    const stored = await storedIntegrations(database, principal, body)
    const checkIntegration = (integration: { readonly source_type?: unknown; readonly settings?: unknown }): readonly BodyIssue[] => {
      const { source_type } = integration
      if (typeof source_type !== 'string') return []
      const provider = registry.get(source_type)
      if (!provider) return findChannelIssues(channels, { source_type })
      const current = stored.find((row) => row.source_type === source_type)
      return mergeIntegrationBody(encryption, provider, current, integration).errors
    }
    return toBodyErrors(
      findSettingsIssues(body, {
        flow: (flow) => [...findChannelIssues(channels, flow), ...findTemplateIssues(flow)],
        integration: checkIntegration,
      }),
    )
  }
  return new Map([[api.settings.apply, checkApply]])
}
