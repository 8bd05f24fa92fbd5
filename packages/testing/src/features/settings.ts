import type { FieldError } from '@flowpost/contract'
import {
  type BodyIssue,
  type FindFlowWarnings,
  findSettingsIssues,
  findSettingsWarnings,
  firstErrorPerField,
  fitsDocument,
  isNotModified,
  mergeIntegration,
  notFound,
  omitEndpointSecrets,
  planSettings,
  readExpectedSettings,
  requireDocumentSize,
  requireSettingsMatch,
  type SettingsBody,
  type StoredSettings,
  settingsChangedHeaders,
  settingsDigestHeader,
  settingsDigestInput,
  settingsTooLarge,
  toBodyErrors,
  toSettingsDocument,
  validationFailed,
} from '@flowpost/contract/rules'
import { canonicalizeTarget, findChannelIssues, findTemplateIssues, findTemplateWarnings } from '@flowpost/domain'
import { etagOf } from '../http/etag.ts'
import type { Handlers, Principal } from '../http/handler.ts'
import { channelsOf, type MockContext, providerOf } from '../state/mock-context.ts'
import type { EventEndpointRecord, FlowRecord, IntegrationRecord, ProjectRecord } from '../state/store.ts'
import { endpointsOf } from './event-endpoints.ts'
import { toStoredIntegration } from './integrations.ts'
import { listHistory } from './list-history.ts'
import { findProject, findProjectByKey, requireAvailableName } from './projects.ts'
import { findConsequences } from './settings-consequences.ts'
import { countPending, type SettingsPlanOf, type SettingsWriteDeps, writePlan } from './write-settings.ts'

type Stored = StoredSettings<FlowRecord, IntegrationRecord, EventEndpointRecord>

const hasKey = <T extends { readonly key: string | null }>(resource: T): resource is T & { readonly key: string } => resource.key !== null

/** Returns a project's settings, or `undefined` if they are too large to be exported. */
const readIfExportable = (context: MockContext, project: ProjectRecord): Stored | undefined => {
  const { store } = context
  const all = [...store.flows.values()].filter((flow) => flow.project_id === project.id)
  const flows = all.filter(hasKey)
  const allEndpoints = endpointsOf(context, project.id)
  const endpoints = allEndpoints.filter(hasKey)
  if (!fitsDocument(flows)) return undefined
  return {
    project,
    flows: flows.map((flow) => ({ ...flow, stored: flow })),
    integrations: [...store.integrations.values()]
      .filter(({ projectId }) => projectId === project.id)
      .map((integration) => ({
        source_type: integration.sourceType,
        settings: integration.settings,
        secretNames: Object.keys(integration.secrets),
        updated_at: integration.updated_at,
        stored: integration,
      })),
    endpoints: endpoints.map((endpoint) => ({ ...endpoint, stored: endpoint })),
    flowsWithoutKey: all.length - flows.length,
    endpointsWithoutKey: allEndpoints.length - endpoints.length,
  }
}

/**
 * Returns a project's settings.
 *
 * @throws {ApiError} `settings_too_large`.
 */
const readSettings = (context: MockContext, project: ProjectRecord): Stored => {
  const stored = readIfExportable(context, project)
  if (!stored) throw settingsTooLarge()
  return stored
}

const flowWarnings =
  (context: MockContext): FindFlowWarnings =>
  ({ message_template, message_template_type, source_type }) =>
    findTemplateWarnings({
      template: message_template,
      templateType: message_template_type,
      channel: providerOf(context, source_type),
    })

// Returns the entity tag of the settings whose canonical JSON is `text`. The tag is the mock's digest of `text`, in quotes.
// Settings that were created from a lock file have the server's digest from that file instead; see `lockDigest`. The mock
// cannot compute the server's digest, because the mock uses a different hash function.
const tagOf = ({ store }: MockContext, text: string): string => {
  const tag = etagOf(text)
  return store.lockedDigests.get(tag) ?? tag
}

const digestOf = (context: MockContext, stored: Stored | undefined): string => tagOf(context, settingsDigestInput(stored)).slice(1, -1)

/** Overrides the digest of a project's current settings until they change. */
export const lockDigest = (context: MockContext, projectId: string, digest: string): void => {
  const project = context.store.projects.get(projectId)
  if (project) context.store.lockedDigests.set(etagOf(settingsDigestInput(readSettings(context, project))), `"${digest}"`)
}

/**
 * Returns the response header that reports changed settings if the digest in a send request differs from the project's
 * current digest. Returns no header if the request has no digest or does not name its project by key. The body need not be valid.
 */
export const findSettingsChange = (
  context: MockContext,
  { principal, headers, body }: { readonly principal: Principal; readonly headers: Headers; readonly body: unknown },
): Readonly<Record<string, string>> => {
  const expected = readExpectedSettings(headers.get(settingsDigestHeader), body)
  const project = expected && findProjectByKey(context, principal, expected.projectKey)
  if (!project) return {}
  const stored = readIfExportable(context, project)
  // Settings that are too large to be exported have no digest, so they never match.
  return stored && digestOf(context, stored) === expected.digest ? {} : settingsChangedHeaders
}

/** Creates the handlers of the settings operations. */
export const createSettings = (context: MockContext, deps: SettingsWriteDeps): Handlers<'settings'> => {
  const plan = (stored: Stored | undefined, body: SettingsBody): SettingsPlanOf =>
    planSettings(stored, body, {
      canonicalizeTarget: ({ source_type, target }) => canonicalizeTarget(channelsOf(context), source_type, target),
      findWarnings: flowWarnings(context),
    })

  return {
    export: ({ principal, params, headers }) => {
      const stored = readSettings(context, findProject(context, principal, params.project_id ?? ''))
      const digest = digestOf(context, stored)
      const tag = { ETag: `"${digest}"` }
      if (isNotModified(headers.get('if-none-match'), tag.ETag)) return { status: 304, body: undefined, headers: tag }
      const document = toSettingsDocument(stored)
      const warnings = findSettingsWarnings(document.flows, stored, flowWarnings(context))
      return { status: 200, body: { project_id: stored.project.id, digest, document, warnings }, headers: tag }
    },

    history: ({ principal, query }) => ({ status: 200, body: listHistory(context, principal, query) }),

    apply: async ({ principal, requestId, headers, body }) => {
      const issues = settingsIntegrationIssues(context, principal, body)
      if (issues.length > 0) throw validationFailed(issues)
      const project = findProjectByKey(context, principal, body.project.key)
      if (!project && principal.projectId !== undefined) throw notFound()
      const stored = project && readSettings(context, project)
      requireSettingsMatch(headers.get('if-match'), stored, (text) => tagOf(context, text))
      const planned = plan(stored, body)
      // All checks precede the first change, so that a rejected document changes nothing.
      if (planned.project !== 'none') requireAvailableName(context, principal.userId, body.project.name, project?.id, '/project')
      requireDocumentSize(stored, planned, ({ id }) => id)
      const counted = countPending(context, planned)
      if (body.dry_run)
        return {
          status: 200,
          body: {
            project_id: project?.id ?? null,
            digest: digestOf(context, stored),
            changes: counted,
            warnings: planned.warnings,
            ...(body.consequences ? { consequences: await findConsequences(context, project, planned) } : {}),
          },
        }
      const write = { origin: { principal, requestId }, existing: project, body, plan: planned }
      const { project: written, createdIds, secrets } = writePlan(context, deps, write)
      const changes = counted.map((change) => {
        if (change.action !== 'create') return change
        const secret = change.kind === 'event_endpoint' ? secrets.get(change.key) : undefined
        return { ...change, id: createdIds.get(`${change.kind} ${change.key}`) ?? null, ...(secret === undefined ? {} : { secret }) }
      })
      const digest = digestOf(context, readSettings(context, written))
      const applied = { project_id: written.id, digest, changes, warnings: planned.warnings }
      return { status: 200, body: applied, replayedBody: omitEndpointSecrets(applied) }
    },
  }
}

/** Validates the flows of a settings document with the rules for channels and templates. */
export const settingsBodyIssues = (context: MockContext, body: unknown): readonly FieldError[] => {
  const flow = (given: object) => [...findChannelIssues(channelsOf(context), given), ...findTemplateIssues(given)]
  return toBodyErrors(findSettingsIssues(body, { flow, integration: () => [] }))
}

/** Merges the integrations of a settings document with the stored ones, and validates the result with the providers' rules. */
export const settingsIntegrationIssues = (context: MockContext, principal: Principal, body: unknown): readonly FieldError[] => {
  if (body === null || typeof body !== 'object') return []
  const project = findProjectByKey(context, principal, (body as { project?: { key?: unknown } | null }).project?.key ?? '')
  const integration = (given: { readonly source_type?: unknown; readonly settings?: unknown }): readonly BodyIssue[] => {
    const { source_type } = given
    if (typeof source_type !== 'string') return []
    const provider = providerOf(context, source_type)
    if (!provider) return findChannelIssues(channelsOf(context), { source_type })
    const stored = [...context.store.integrations.values()].find(
      ({ projectId, sourceType }) => projectId === project?.id && sourceType === source_type,
    )
    return mergeIntegration(provider, toStoredIntegration(stored), given).errors
  }
  return firstErrorPerField(toBodyErrors(findSettingsIssues(body, { flow: () => [], integration })))
}
