import type { FieldError } from '@flowpost/contract'
import { isNotModified, keyTaken, notFound, toBodyErrors, validationFailed } from '@flowpost/contract/rules'
import { canonicalizeTarget, findChannelIssues, findTemplateIssues, unknownHealth } from '@flowpost/domain'
import type { EventLog } from '../events/event-log.ts'
import type { DeliveryFaults } from '../faults/delivery-faults.ts'
import { requireMatch } from '../http/etag.ts'
import type { Handlers, Principal } from '../http/handler.ts'
import { createPage, parsePageRequest } from '../http/pagination.ts'
import { channelsOf, type MockContext, timeOfChange, timestamp } from '../state/mock-context.ts'
import type { FlowRecord } from '../state/store.ts'
import { checkFlow } from './check-flow.ts'
import { flowEtag, omitHealth, toFlow } from './flow.serializer.ts'
import { findPastFlow } from './past-flows.ts'
import { findProject } from './projects.ts'
import { type ChangeOrigin, recordChange } from './settings-history.ts'

type Path = Readonly<Record<string, string>>

/** A request that changes a flow. */
interface FlowWrite {
  readonly params: Path
  readonly headers: Headers
  readonly body: object
}

/**
 * Returns the flow that a request's path names.
 *
 * @throws {ApiError} `not_found`.
 */
const findFlow = (context: MockContext, principal: Principal, { project_id = '', flow_id = '' }: Path): FlowRecord => {
  const project = findProject(context, principal, project_id)
  const flow = context.store.flows.get(flow_id)
  if (flow?.project_id !== project.id) throw notFound()
  return flow
}

/**
 * Rejects a key that another flow in the project already has.
 *
 * @throws {ApiError} `key_taken`.
 */
const requireAvailableKey = ({ store }: MockContext, flow: Pick<FlowRecord, 'id' | 'project_id' | 'key'>): void => {
  for (const { id, project_id, key } of store.flows.values())
    if (key !== null && key === flow.key && project_id === flow.project_id && id !== flow.id) throw keyTaken('flow')
}

/** Creates the handlers of the flow operations. `cancelPending` cancels the pending deliveries of a deleted flow. */
export const createFlows = (
  context: MockContext,
  deps: { readonly faults: DeliveryFaults; readonly events: EventLog },
  cancelPending: (of: { flowId: string }) => void,
): Handlers<'flows'> => {
  const { store } = context

  const change = ({ params, headers, body, ...origin }: ChangeOrigin & FlowWrite) => {
    const before = findFlow(context, origin.principal, params)
    requireMatch(headers.get('if-match'), omitHealth(toFlow(context, before)))
    const definedChanges = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
    const merged: FlowRecord = { ...before, ...definedChanges, updated_at: timeOfChange(context, before) }
    const target = canonicalizeTarget(channelsOf(context), merged.source_type, merged.target)
    const isMoved = merged.source_type !== before.source_type || target !== before.target
    const after = { ...merged, target, ...(isMoved ? { condition: unknownHealth, checked_at: null } : {}) }
    // If the request sets neither the provider nor the target, they are not checked, so that a flow whose provider is no longer
    // registered can be deactivated.
    const namesDestination = 'source_type' in definedChanges || 'target' in definedChanges
    const issues = namesDestination ? toBodyErrors(findChannelIssues(channelsOf(context), after)) : []
    if (issues.length > 0) throw validationFailed(issues)
    requireAvailableKey(context, after)
    store.flows.set(after.id, after)
    recordChange(context, origin, { kind: 'flow', before, after })
    const flow = toFlow(context, after)
    return { status: 200, body: flow, headers: { ETag: flowEtag(flow) } } as const
  }

  return {
    create: ({ principal, requestId, params, body }) => {
      const project = findProject(context, principal, params.project_id ?? '')
      const now = timestamp(context)
      const target = canonicalizeTarget(channelsOf(context), body.source_type, body.target)
      const { name, key = null, active, source_type, override_target, message_template, message_template_type } = body
      const record: FlowRecord = {
        id: context.generateId('flow'),
        project_id: project.id,
        name,
        key,
        active,
        source_type,
        target,
        override_target,
        message_template,
        message_template_type,
        condition: unknownHealth,
        checked_at: null,
        created_at: now,
        updated_at: now,
      }
      requireAvailableKey(context, record)
      store.flows.set(record.id, record)
      recordChange(context, { principal, requestId }, { kind: 'flow', after: record })
      const flow = toFlow(context, record)
      const location = `/v1/settings/projects/${flow.project_id}/flows/${flow.id}`
      return { status: 201, body: flow, headers: { Location: location, ETag: flowEtag(flow) } }
    },

    list: ({ principal, params, query }) => {
      const request = parsePageRequest('flows', 'oldest first', { project_id: params.project_id }, query)
      const project = findProject(context, principal, params.project_id ?? '')
      const flows = [...store.flows.values()].filter((flow) => flow.project_id === project.id)
      return { status: 200, body: createPage(request, flows, (flow) => toFlow(context, flow)) }
    },

    get: ({ principal, params, query: { at }, headers }) => {
      const record = at === undefined ? findFlow(context, principal, params) : findPastFlow(context, principal, params, at)
      const flow = toFlow(context, record)
      const etag = flowEtag(flow)
      return isNotModified(headers.get('if-none-match'), etag)
        ? { status: 304, body: undefined, headers: { ETag: etag } }
        : { status: 200, body: flow, headers: { ETag: etag } }
    },

    update: (call) => change(call),

    patch: (call) => change(call),

    delete: ({ principal, requestId, params, headers }) => {
      const flow = findFlow(context, principal, params)
      requireMatch(headers.get('if-match'), omitHealth(toFlow(context, flow)))
      cancelPending({ flowId: flow.id })
      store.flows.delete(flow.id)
      recordChange(context, { principal, requestId }, { kind: 'flow', before: flow })
      return { status: 204, body: undefined }
    },

    check: ({ principal, params }) => ({ status: 200, body: checkFlow(context, deps, findFlow(context, principal, params)) }),
  }
}

/**
 * Returns the issues with the channel and the template of a flow body. The mock reports them together with the schema's
 * issues.
 */
export const flowBodyIssues = (context: MockContext, principal: Principal, params: Path, method: string, body: unknown): FieldError[] => {
  if (body === null || typeof body !== 'object') return []
  const fields = body as { source_type?: unknown; target?: unknown; message_template?: unknown }
  const templateIssues = toBodyErrors(findTemplateIssues(fields))
  const isPartial = method === 'PATCH' && (fields.source_type === undefined) !== (fields.target === undefined)
  if (!isPartial) return [...toBodyErrors(findChannelIssues(channelsOf(context), fields)), ...templateIssues]
  // The channel check needs both source_type and target, but the body has only one. The other comes from the stored flow. If
  // that flow does not exist or is not accessible, the handler throws `not_found`.
  const stored = context.store.flows.get(params.flow_id ?? '')
  const isVisible = stored?.project_id === params.project_id && isReachable(context, principal, params.project_id ?? '')
  if (!stored || !isVisible) return []
  const { source_type, target } = stored
  return [...toBodyErrors(findChannelIssues(channelsOf(context), { source_type, target, ...fields })), ...templateIssues]
}

const isReachable = ({ store }: MockContext, principal: Principal, projectId: string): boolean =>
  store.projects.get(projectId)?.userId === principal.userId && (principal.projectId ?? projectId) === projectId
