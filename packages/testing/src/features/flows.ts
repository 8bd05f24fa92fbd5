import type { FieldError } from '@flowpost/contract'
import { isNotModified, notFound, toBodyErrors, validationFailed } from '@flowpost/contract/rules'
import { canonicalizeTarget, findChannelIssues, findTemplateIssues, unknownHealth } from '@flowpost/domain'
import type { DeliveryFaults } from '../faults/delivery-faults.ts'
import type { Handlers, Principal } from '../http/call.ts'
import { pageOf, pageRequest } from '../http/cursor.ts'
import { requireMatch } from '../http/etag.ts'
import type { FlowRecord } from '../state/records.ts'
import { channelsOf, timestamp, type World } from '../state/world.ts'
import { checkFlow } from './check-flow.ts'
import { flowEtag, taggedFlow, toFlow } from './flow-rules.ts'
import { findProject } from './projects.ts'

type Path = Readonly<Record<string, string>>

/** @throws ApiError `not_found`. */
const findFlow = (world: World, principal: Principal, { project_id = '', flow_id = '' }: Path): FlowRecord => {
  const project = findProject(world, principal, project_id)
  const flow = world.store.flows.get(flow_id)
  if (flow?.project_id !== project.id) throw notFound()
  return flow
}

/** What the operations on flows do. `cancelOpen` cancels what is queued for a flow that is deleted. */
export const createFlows = (world: World, faults: DeliveryFaults, cancelOpen: (of: { flowId: string }) => void): Handlers<'flows'> => {
  const { store } = world

  const change = (principal: Principal, path: Path, headers: Headers, changes: object) => {
    const before = findFlow(world, principal, path)
    requireMatch(headers.get('if-match'), taggedFlow(toFlow(world, before)))
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
    const merged: FlowRecord = { ...before, ...given, updated_at: timestamp(world) }
    const target = canonicalizeTarget(channelsOf(world), merged.source_type, merged.target)
    const isMoved = merged.source_type !== before.source_type || target !== before.target
    const after = { ...merged, target, ...(isMoved ? { condition: unknownHealth, checked_at: null } : {}) }
    const errors = toBodyErrors(findChannelIssues(channelsOf(world), after))
    if (errors.length > 0) throw validationFailed(errors)
    store.flows.set(after.id, after)
    const flow = toFlow(world, after)
    return { status: 200, body: flow, headers: { ETag: flowEtag(flow) } } as const
  }

  return {
    create: ({ principal, params, body }) => {
      const project = findProject(world, principal, params.project_id ?? '')
      const now = timestamp(world)
      const target = canonicalizeTarget(channelsOf(world), body.source_type, body.target)
      const { name, active, source_type, override_target, message_template, message_template_type } = body
      const record: FlowRecord = {
        id: world.makeId('flow'),
        project_id: project.id,
        name,
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
      store.flows.set(record.id, record)
      const flow = toFlow(world, record)
      const location = `/v1/settings/projects/${flow.project_id}/flows/${flow.id}`
      return { status: 201, body: flow, headers: { Location: location, ETag: flowEtag(flow) } }
    },

    list: ({ principal, params, query }) => {
      const request = pageRequest('flows', 'oldest first', { project_id: params.project_id }, query)
      const project = findProject(world, principal, params.project_id ?? '')
      const flows = [...store.flows.values()].filter((flow) => flow.project_id === project.id)
      return { status: 200, body: pageOf(request, flows, (flow) => toFlow(world, flow)) }
    },

    get: ({ principal, params, headers }) => {
      const flow = toFlow(world, findFlow(world, principal, params))
      const etag = flowEtag(flow)
      return isNotModified(headers.get('if-none-match'), etag)
        ? { status: 304, body: undefined, headers: { ETag: etag } }
        : { status: 200, body: flow, headers: { ETag: etag } }
    },

    update: ({ principal, params, headers, body }) => change(principal, params, headers, body),

    patch: ({ principal, params, headers, body }) => change(principal, params, headers, body),

    delete: ({ principal, params, headers }) => {
      const flow = findFlow(world, principal, params)
      requireMatch(headers.get('if-match'), taggedFlow(toFlow(world, flow)))
      cancelOpen({ flowId: flow.id })
      store.flows.delete(flow.id)
      return { status: 204, body: undefined }
    },

    check: ({ principal, params }) => ({ status: 200, body: checkFlow(world, faults, findFlow(world, principal, params)) }),
  }
}

/** Returns the validation errors of a flow that depend on its channel or its template. They are reported with those of the schema. */
export const flowBodyFaults = (world: World, principal: Principal, params: Path, method: string, body: unknown): FieldError[] => {
  if (body === null || typeof body !== 'object') return []
  const fields = body as { source_type?: unknown; target?: unknown; message_template?: unknown }
  const ofTemplate = toBodyErrors(findTemplateIssues(fields))
  const isHalf = method === 'PATCH' && (fields.source_type === undefined) !== (fields.target === undefined)
  if (!isHalf) return [...toBodyErrors(findChannelIssues(channelsOf(world), fields)), ...ofTemplate]
  // Half of the pair is given, so the other half is the stored one; an unknown flow is for the operation to answer.
  const stored = world.store.flows.get(params.flow_id ?? '')
  const isKnown = stored?.project_id === params.project_id && isReachable(world, principal, params.project_id ?? '')
  if (!stored || !isKnown) return []
  const { source_type, target } = stored
  return [...toBodyErrors(findChannelIssues(channelsOf(world), { source_type, target, ...fields })), ...ofTemplate]
}

const isReachable = ({ store }: World, principal: Principal, projectId: string): boolean =>
  store.projects.get(projectId)?.userId === principal.userId && (principal.projectId ?? projectId) === projectId
