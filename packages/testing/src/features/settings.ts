import { type FieldError, maxSettingsFlows, maxSettingsTemplateBytes } from '@flowpost/contract'
import {
  type BodyIssue,
  type FindFlowWarnings,
  findSettingsIssues,
  findSettingsWarnings,
  isNotModified,
  mergeIntegration,
  notFound,
  planSettings,
  requireSettingsMatch,
  type SettingsBody,
  type StoredSettings,
  settingsDigestInput,
  settingsTooLarge,
  toBodyErrors,
  toSettingsDocument,
} from '@flowpost/contract/rules'
import { canonicalizeTarget, findChannelIssues, findTemplateIssues, findTemplateWarnings } from '@flowpost/domain'
import { etagOf } from '../http/etag.ts'
import type { Handlers, Principal } from '../http/handler.ts'
import { channelsOf, type MockContext, providerOf } from '../state/mock-context.ts'
import type { FlowRecord, IntegrationRecord, ProjectRecord } from '../state/store.ts'
import { toStoredIntegration } from './integrations.ts'
import { findProject, findProjectByKey } from './projects.ts'
import { countPending, type SettingsPlanOf, writePlan } from './write-settings.ts'

type Stored = StoredSettings<FlowRecord, IntegrationRecord>

const byteLength = (text: string): number => new TextEncoder().encode(text).length

const hasKey = (flow: FlowRecord): flow is FlowRecord & { readonly key: string } => flow.key !== null

/** @throws {ApiError} `settings_too_large`. */
const readSettings = ({ store }: MockContext, project: ProjectRecord): Stored => {
  const all = [...store.flows.values()].filter((flow) => flow.project_id === project.id)
  const flows = all.filter(hasKey)
  const templateBytes = flows.reduce((sum, { message_template }) => sum + byteLength(message_template), 0)
  if (flows.length > maxSettingsFlows || templateBytes > maxSettingsTemplateBytes) throw settingsTooLarge()
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
    flowsWithoutKey: all.length - flows.length,
  }
}

const flowWarnings =
  (context: MockContext): FindFlowWarnings =>
  ({ message_template, message_template_type, source_type }) =>
    findTemplateWarnings({
      template: message_template,
      templateType: message_template_type,
      channelKind: providerOf(context, source_type)?.kind ?? 'email',
    })

const digestOf = (stored: Stored | undefined): string => etagOf(settingsDigestInput(stored)).slice(1, -1)

/** Creates the handlers of settings documents. `cancelPending` cancels the pending deliveries of a deleted flow. */
export const createSettings = (context: MockContext, cancelPending: (of: { flowId: string }) => void): Handlers<'settings'> => {
  const plan = (stored: Stored | undefined, body: SettingsBody): SettingsPlanOf =>
    planSettings(stored, body, {
      canonicalizeTarget: ({ source_type, target }) => canonicalizeTarget(channelsOf(context), source_type, target),
      findWarnings: flowWarnings(context),
    })

  return {
    export: ({ principal, params, headers }) => {
      const stored = readSettings(context, findProject(context, principal, params.project_id ?? ''))
      const digest = digestOf(stored)
      const tag = { ETag: `"${digest}"` }
      if (isNotModified(headers.get('if-none-match'), tag.ETag)) return { status: 304, body: undefined, headers: tag }
      const document = toSettingsDocument(stored)
      const warnings = findSettingsWarnings(document.flows, stored.flowsWithoutKey, flowWarnings(context))
      return { status: 200, body: { project_id: stored.project.id, digest, document, warnings }, headers: tag }
    },

    apply: ({ principal, headers, body }) => {
      const project = findProjectByKey(context, principal, body.project.key)
      if (!project && principal.projectId !== undefined) throw notFound()
      const stored = project && readSettings(context, project)
      requireSettingsMatch(headers.get('if-match'), stored, etagOf)
      const planned = plan(stored, body)
      const counted = countPending(context, planned)
      if (body.dry_run)
        return {
          status: 200,
          body: { project_id: project?.id ?? null, digest: digestOf(stored), changes: counted, warnings: planned.warnings },
        }
      const { project: written, createdIds } = writePlan(context, {
        userId: principal.userId,
        existing: project,
        body,
        plan: planned,
        cancelPending,
      })
      const changes = counted.map((change) =>
        change.action === 'create' ? { ...change, id: createdIds.get(`${change.kind} ${change.key}`) ?? null } : change,
      )
      const digest = digestOf(readSettings(context, written))
      return { status: 200, body: { project_id: written.id, digest, changes, warnings: planned.warnings } }
    },
  }
}

/** Validates every part of a document with the rules of the channels, the templates and the providers. */
export const settingsBodyIssues = (context: MockContext, principal: Principal, body: unknown): readonly FieldError[] => {
  if (body === null || typeof body !== 'object') return []
  const project = findProjectByKey(context, principal, (body as { project?: { key?: unknown } | null }).project?.key ?? '')
  const checkIntegration = (integration: { readonly source_type?: unknown; readonly settings?: unknown }): readonly BodyIssue[] => {
    const { source_type } = integration
    if (typeof source_type !== 'string') return []
    const provider = providerOf(context, source_type)
    if (!provider) return findChannelIssues(channelsOf(context), { source_type })
    const stored = [...context.store.integrations.values()].find(
      ({ projectId, sourceType }) => projectId === project?.id && sourceType === source_type,
    )
    return mergeIntegration(provider, toStoredIntegration(stored), integration).errors
  }
  return toBodyErrors(
    findSettingsIssues(body, {
      flow: (flow) => [...findChannelIssues(channelsOf(context), flow), ...findTemplateIssues(flow)],
      integration: checkIntegration,
    }),
  )
}
