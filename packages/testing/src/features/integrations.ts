import type { FieldError } from '@flowpost/contract'
import {
  ApiError,
  isNotModified,
  mergeIntegration,
  notFound,
  type StoredIntegration,
  secretFieldsOf,
  validationFailed,
} from '@flowpost/contract/rules'
import { unknownHealth } from '@flowpost/domain'
import { etagOf, requireMatch } from '../http/etag.ts'
import type { Handlers, Principal } from '../http/handler.ts'
import { createPage, parsePageRequest } from '../http/pagination.ts'
import type { Integration } from '../state/api-types.ts'
import { type MockContext, providerOf, timeOfChange, timestamp } from '../state/mock-context.ts'
import type { IntegrationRecord } from '../state/store.ts'
import { integrationKey } from '../state/store.ts'
import { revokeCredential } from './change-deliveries.ts'
import { findProject } from './projects.ts'
import { type ChangeOrigin, recordChange } from './settings-history.ts'

type Path = Readonly<Record<string, string>>

const toIntegration = ({ sourceType, settings, secrets, inbound, created_at, updated_at }: IntegrationRecord): Integration => ({
  source_type: sourceType,
  settings: { ...settings },
  secrets: Object.fromEntries(
    Object.keys(secrets)
      .sort()
      .map((name) => [name, { set: true as const }]),
  ),
  inbound,
  created_at,
  updated_at,
})

/** Converts an integration record to the `StoredIntegration` that the rules in `@flowpost/contract/rules` use. */
export const toStoredIntegration = (stored: IntegrationRecord | undefined): StoredIntegration | undefined =>
  stored && {
    settings: stored.settings,
    secretNames: Object.keys(stored.secrets),
    decryptSecrets: (names) => Object.fromEntries(names.map((name) => [name, stored.secrets[name]])),
  }

const previousInboundMs = 24 * 3_600_000

/** Resets the health of a project's flows after the credential that they use has changed. */
const resetFlowHealth = ({ store }: MockContext, projectId: string, sourceType: string): void => {
  for (const flow of store.flows.values())
    if (flow.project_id === projectId && flow.source_type === sourceType) store.flows.set(flow.id, { ...flow, condition: unknownHealth })
}

/** The fields of an integration to store. */
export interface IntegrationWrite extends Pick<IntegrationRecord, 'projectId' | 'sourceType' | 'settings' | 'secrets'> {
  /** The secrets in the request. `null` removes a secret. */
  readonly givenSecrets?: Readonly<Record<string, unknown>> | undefined
}

/** Stores a valid integration. Replaces the project's current integration for the provider, if any. */
export const storeIntegration = (
  context: MockContext,
  origin: ChangeOrigin,
  { givenSecrets, ...of }: IntegrationWrite,
): IntegrationRecord => {
  const key = integrationKey(of.projectId, of.sourceType)
  const before = context.store.integrations.get(key)
  const now = before ? timeOfChange(context, before) : timestamp(context)
  const after: IntegrationRecord = {
    ...of,
    id: before?.id ?? context.generateId('project'),
    inbound: before?.inbound ?? null,
    created_at: before?.created_at ?? now,
    updated_at: now,
  }
  context.store.integrations.set(key, after)
  recordChange(context, origin, { kind: 'integration', before, after, secretFields: secretFieldsOf(givenSecrets) })
  resetFlowHealth(context, of.projectId, of.sourceType)
  return after
}

/** Deletes an integration. Pending deliveries that use the integration do not fall back to the deployment's credential. */
export const deleteIntegration = (context: MockContext, origin: ChangeOrigin, integration: IntegrationRecord): void => {
  const { projectId, sourceType } = integration
  revokeCredential(context, projectId, sourceType)
  context.store.integrations.delete(integrationKey(projectId, sourceType))
  recordChange(context, origin, { kind: 'integration', before: integration })
  resetFlowHealth(context, projectId, sourceType)
}

/** Creates the handlers of the integration operations. */
export const createIntegrations = (context: MockContext): Handlers<'integrations'> => {
  const { store } = context

  const find = (principal: Principal, { project_id = '', source_type = '' }: Path): IntegrationRecord => {
    const project = findProject(context, principal, project_id)
    const integration = store.integrations.get(integrationKey(project.id, source_type))
    if (!integration) throw notFound()
    return integration
  }

  return {
    list: ({ principal, params, query }) => {
      const request = parsePageRequest('integrations', 'oldest first', { project_id: params.project_id }, query)
      const project = findProject(context, principal, params.project_id ?? '')
      const rows = [...store.integrations.values()].filter(({ projectId }) => projectId === project.id)
      return { status: 200, body: createPage(request, rows, toIntegration) }
    },

    get: ({ principal, params, headers }) => {
      const integration = toIntegration(find(principal, params))
      const etag = etagOf(integration)
      return isNotModified(headers.get('if-none-match'), etag)
        ? { status: 304, body: undefined, headers: { ETag: etag } }
        : { status: 200, body: integration, headers: { ETag: etag } }
    },

    put: ({ principal, requestId, params, headers, body }) => {
      const provider = providerOf(context, params.source_type ?? '')
      if (!provider) throw notFound()
      const project = findProject(context, principal, params.project_id ?? '')
      const before = store.integrations.get(integrationKey(project.id, provider.id))
      const ifMatch = headers.get('if-match')
      if (before) requireMatch(ifMatch, toIntegration(before))
      // RFC 9110, section 13.1.1: `*` does not match a resource that does not exist.
      else if (ifMatch !== null) throw new ApiError('etag_mismatch', 'The integration does not exist. Omit If-Match to create it.')
      const { settings, secrets, errors } = mergeIntegration(provider, toStoredIntegration(before), body)
      if (errors.length > 0) throw validationFailed(errors)
      const of = { projectId: project.id, sourceType: provider.id, settings, secrets, givenSecrets: body.secrets }
      const integration = toIntegration(storeIntegration(context, { principal, requestId }, of))
      return { status: 200, body: integration, headers: { ETag: etagOf(integration) } }
    },

    delete: ({ principal, requestId, params, headers }) => {
      const integration = find(principal, params)
      requireMatch(headers.get('if-match'), toIntegration(integration))
      deleteIntegration(context, { principal, requestId }, integration)
      return { status: 204, body: undefined }
    },

    rotateInbound: ({ principal, requestId, params }) => {
      const integration = find(principal, params)
      const { projectId, sourceType } = integration
      if (!providerOf(context, sourceType)?.reportType)
        throw new ApiError(
          'inbound_not_supported',
          `${sourceType} sends no delivery reports. Record receipts with POST /v1/deliveries/{id}/receipt.`,
        )
      const rotations = integration.inbound ? [{ updated_at: integration.inbound.rotated_at }] : []
      const inbound = {
        rotated_at: timeOfChange(context, integration, ...rotations),
        previous_expires_at: integration.inbound && timestamp(context, context.clock.now() + previousInboundMs),
      }
      const after = { ...integration, inbound }
      store.integrations.set(integrationKey(projectId, sourceType), after)
      const change = { kind: 'integration', before: integration, after, secretFields: ['/inbound'], at: inbound.rotated_at } as const
      recordChange(context, { principal, requestId }, change)
      return { status: 200, body: { path: `/v1/inbound/${sourceType}/fpi_${context.tokens.secret().slice(0, 32)}`, ...inbound } }
    },
  }
}

/**
 * Validates the body of a PUT request with the provider's schemas.
 *
 * @throws {ApiError} `not_found` for an unknown project or provider.
 */
export const integrationBodyIssues = (context: MockContext, principal: Principal, params: Path, body: unknown): readonly FieldError[] => {
  const provider = providerOf(context, params.source_type ?? '')
  if (!provider) throw notFound()
  const project = findProject(context, principal, params.project_id ?? '')
  const stored = context.store.integrations.get(integrationKey(project.id, provider.id))
  return mergeIntegration(provider, toStoredIntegration(stored), typeof body === 'object' && body !== null ? body : {}).errors
}
