import type { FieldError } from '@flowpost/contract'
import { ApiError, isNotModified, mergeIntegration, notFound, type StoredIntegration, validationFailed } from '@flowpost/contract/rules'
import { unknownHealth } from '@flowpost/domain'
import type { Handlers, Principal } from '../http/call.ts'
import { pageOf, pageRequest } from '../http/cursor.ts'
import { etagOf, requireMatch } from '../http/etag.ts'
import type { IntegrationRecord } from '../state/records.ts'
import { integrationKey } from '../state/store.ts'
import type { Integration } from '../state/wire.ts'
import { providerOf, timestamp, type World } from '../state/world.ts'
import { findProject } from './projects.ts'

type Path = Readonly<Record<string, string>>

const toIntegration = ({ sourceType, settings, secrets, created_at, updated_at }: IntegrationRecord): Integration => ({
  source_type: sourceType,
  settings: { ...settings },
  secrets: Object.fromEntries(
    Object.keys(secrets)
      .sort()
      .map((name) => [name, { set: true as const }]),
  ),
  created_at,
  updated_at,
})

const storedOf = (stored: IntegrationRecord | undefined): StoredIntegration | undefined =>
  stored && {
    settings: stored.settings,
    secretNames: Object.keys(stored.secrets),
    decryptSecrets: (names) => Object.fromEntries(names.map((name) => [name, stored.secrets[name]])),
  }

/** What the operations on integrations do. */
export const createIntegrations = (world: World): Handlers<'integrations'> => {
  const { store } = world

  const find = (principal: Principal, { project_id = '', source_type = '' }: Path): IntegrationRecord => {
    const project = findProject(world, principal, project_id)
    const integration = store.integrations.get(integrationKey(project.id, source_type))
    if (!integration) throw notFound()
    return integration
  }

  /** What is known of the flows that deliver with a credential is forgotten when it is another one. */
  const credentialChanged = (projectId: string, sourceType: string): void => {
    for (const flow of store.flows.values())
      if (flow.project_id === projectId && flow.source_type === sourceType) store.flows.set(flow.id, { ...flow, condition: unknownHealth })
  }

  return {
    list: ({ principal, params, query }) => {
      const request = pageRequest('integrations', 'oldest first', { project_id: params.project_id }, query)
      const project = findProject(world, principal, params.project_id ?? '')
      const rows = [...store.integrations.values()].filter(({ projectId }) => projectId === project.id)
      return { status: 200, body: pageOf(request, rows, toIntegration) }
    },

    get: ({ principal, params, headers }) => {
      const integration = toIntegration(find(principal, params))
      const etag = etagOf(integration)
      return isNotModified(headers.get('if-none-match'), etag)
        ? { status: 304, body: undefined, headers: { ETag: etag } }
        : { status: 200, body: integration, headers: { ETag: etag } }
    },

    put: ({ principal, params, headers, body }) => {
      const provider = providerOf(world, params.source_type ?? '')
      if (!provider) throw notFound()
      const project = findProject(world, principal, params.project_id ?? '')
      const key = integrationKey(project.id, provider.id)
      const before = store.integrations.get(key)
      const ifMatch = headers.get('if-match')
      if (before) requireMatch(ifMatch, toIntegration(before))
      // RFC 9110, section 13.1.1: not even `*` matches what does not exist.
      else if (ifMatch !== null) throw new ApiError('etag_mismatch', 'There is no such integration yet. Leave out If-Match to make it.')
      const { settings, secrets, errors } = mergeIntegration(provider, storedOf(before), body)
      if (errors.length > 0) throw validationFailed(errors)
      // Later than the last write: a secret can change without the rest of the representation, and the entity tag must too.
      const now = Math.max(world.clock.now(), before ? Date.parse(before.updated_at) + 1 : 0)
      const after: IntegrationRecord = {
        id: before?.id ?? world.makeId('project'),
        projectId: project.id,
        sourceType: provider.id,
        settings,
        secrets,
        created_at: before?.created_at ?? timestamp(world, now),
        updated_at: timestamp(world, now),
      }
      store.integrations.set(key, after)
      credentialChanged(project.id, provider.id)
      const integration = toIntegration(after)
      return { status: 200, body: integration, headers: { ETag: etagOf(integration) } }
    },

    delete: ({ principal, params, headers }) => {
      const integration = find(principal, params)
      requireMatch(headers.get('if-match'), toIntegration(integration))
      store.integrations.delete(integrationKey(integration.projectId, integration.sourceType))
      credentialChanged(integration.projectId, integration.sourceType)
      return { status: 204, body: undefined }
    },
  }
}

/**
 * Returns the validation errors of the provider's schemas for the body of a PUT.
 * @throws ApiError `not_found` for a project or provider that there is not: nothing can be said of the body then.
 */
export const integrationBodyFaults = (world: World, principal: Principal, params: Path, body: unknown): readonly FieldError[] => {
  const provider = providerOf(world, params.source_type ?? '')
  if (!provider) throw notFound()
  const project = findProject(world, principal, params.project_id ?? '')
  const stored = world.store.integrations.get(integrationKey(project.id, provider.id))
  return mergeIntegration(provider, storedOf(stored), typeof body === 'object' && body !== null ? body : {}).errors
}
