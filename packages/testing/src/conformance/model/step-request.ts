import { buildOperationPath } from '@flowpost/contract/rules'
import { type OperationRequest, routeOf } from '../http.ts'
import { farFutureMs, unknownId } from '../samples.ts'
import type { Body } from './arbitrary-bodies.ts'
import type { Normalizer } from './normalize.ts'
import type { Json, ModelTarget, Step } from './sequence.ts'
import type { SequenceState } from './sequence-state.ts'

/** The request that a step sends to one server. */
export interface StepRequest {
  readonly request: OperationRequest
  readonly method: string
  readonly path: string
  /** Whether the request uses a key that can access all of the user's projects. */
  readonly isUnbound: boolean
  /**
   * Whether a message in the body is due immediately, because its `send_at` is missing or in the past. Meaningful only
   * for sends and batches.
   */
  readonly isImmediate: boolean
}

const hourMs = 3_600_000

const pick = <T>(list: readonly T[], index: number | undefined): T | undefined =>
  index === undefined || list.length === 0 ? undefined : list.at(index % list.length)

const fill = (value: Json, placeholders: ReadonlyMap<string, string>): Json => {
  if (typeof value === 'string') return placeholders.get(value) ?? value
  if (Array.isArray(value)) return value.map((inner) => fill(inner, placeholders))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, placeholders)]))
}

/** Returns a path template with its literal segments in upper case and a trailing slash. */
const respell = (template: string): string => `${template.replace(/(?<=\/)[^:/]+/g, (segment) => segment.toUpperCase())}/`

/** Returns the items of a batch, or the body of any other step. */
const messagesOf = ({ operation, body }: Step): readonly Body[] => {
  if (operation !== 'notifications.sendBatch') return body ? [body] : []
  const items = body?.['notifications']
  return Array.isArray(items) ? items.filter((item) => item !== null && typeof item === 'object') : []
}

const isImmediate = (body: Body): boolean => body['send_at'] === undefined || body['send_at'] === '$earlier'

const schedule = (body: Body): Body => (isImmediate(body) ? { ...body, send_at: '$later' } : body)

/** Returns a step's body. If `mayDeliver` is `false`, schedules the messages that would otherwise be sent immediately. */
const bodyOf = (step: Step, mayDeliver: boolean): Step['body'] => {
  const { operation, body } = step
  if (!body || mayDeliver) return body
  if (operation === 'notifications.send') return schedule(body)
  if (operation !== 'notifications.sendBatch' || !Array.isArray(body['notifications'])) return body
  const messages = messagesOf(step)
  return { ...body, notifications: body['notifications'].map((item) => (messages.includes(item) ? schedule(item) : item)) }
}

/**
 * Creates the function that converts steps to requests.
 *
 * @param run A string that makes the sequence's names, keys and idempotency keys unique.
 */
export const createRequests = (
  target: ModelTarget,
  state: SequenceState,
  { run, mayDeliver, normalizer }: { readonly run: string; readonly mayDeliver: boolean; readonly normalizer: Normalizer },
): ((step: Step) => StepRequest) => {
  let count = 0

  const timesOf = (body: Step['body']): [string, string][] => {
    count += 1
    const now = target.clock?.now() ?? Date.now()
    const offsets = { earlier: -hourMs, soon: hourMs, later: farFutureMs }
    return Object.entries(offsets).map(([name, offset]) => {
      const timestamp = new Date(now + offset).toISOString()
      if (JSON.stringify(body)?.includes(`"$${name}"`)) normalizer.nameTime(timestamp, `${name} of request ${count}`)
      return [`$${name}`, timestamp]
    })
  }

  return (step) => {
    const project = pick(state.projects, step.project) ?? unknownId('project')
    const flow = pick(state.flows, step.flow)
    const suppression = step.suppression === undefined ? undefined : pick(state.suppressions, step.suppression)
    const endpoint = step.eventEndpoint === undefined ? undefined : pick(state.eventEndpoints, step.eventEndpoint)
    const params = {
      // A flow, a suppression or an endpoint is requested in its own project, unless the step selects a project.
      project_id: step.project === undefined ? ((suppression ?? endpoint ?? flow)?.project_id ?? project) : project,
      flow_id: flow?.id ?? unknownId('flow'),
      endpoint_id: endpoint?.id ?? unknownId('eventEndpoint'),
      notification_id: pick(state.notifications, step.notification) ?? unknownId('notification'),
      suppression_id: suppression?.id ?? unknownId('suppression'),
      erasure_id: unknownId('erasure'),
      delivery_id: unknownId('delivery'),
      action_id: pick(state.bulkActions, step.bulkAction) ?? unknownId('bulkAction'),
      key_id: pick(state.keys, step.apiKey)?.id ?? unknownId('apiKey'),
      source_type: step.source_type ?? 'mailgun',
    }
    const body = bodyOf(step, mayDeliver)
    const placeholders = new Map([
      ['$project', project],
      ['$flow', params.flow_id],
      ...timesOf(body),
      ...Array.from({ length: 4 }, (_, index) => [`$name${index}`, `model ${run} ${index}`] as const),
      ...Array.from({ length: 2 }, (_, index) => [`$key${index}`, `model-${run.toLowerCase()}-${index}`] as const),
      ['$unique', `model ${run} request ${count}`],
      ['$NAME0', `MODEL ${run.toUpperCase()} 0`],
    ])
    const { method, path: template } = routeOf(step.operation).route
    const query = Object.fromEntries(Object.entries(step.query ?? {}).map(([name, value]) => [name, placeholders.get(value) ?? value]))
    // Entity tags are stored by resource path. The path of `projects.deleteByQuery` lacks the project's id, so the path of
    // `projects.delete` is used instead.
    const resourceTemplate = step.operation === 'projects.deleteByQuery' ? routeOf('projects.delete').route.path : template
    const key = pick(state.keys, step.as)
    const cursor = state.cursorOf(step)
    // A list of all keys includes keys that the sequence did not create, so its pages cannot be compared.
    const isListOfAllKeys = step.operation === 'apiKeys.list' && (key?.project ?? null) === null
    return {
      method,
      path: buildOperationPath(step.isPathRespelled ? respell(template) : template, params),
      isUnbound: (key?.project ?? null) === null,
      isImmediate: messagesOf({ ...step, ...(body ? { body } : {}) }).some(isImmediate),
      request: {
        params,
        key: key?.token ?? target.apiKey,
        query: isListOfAllKeys ? { limit: '1000' } : { ...query, ...(cursor === undefined ? {} : { cursor }) },
        ...(body === undefined ? {} : { json: fill(body, placeholders) }),
        headers: {
          ...(step.idempotencyKey === undefined ? {} : { 'idempotency-key': `${run}-${step.idempotencyKey}` }),
          ...state.tagHeaders(buildOperationPath(resourceTemplate, params), step),
        },
      },
    }
  }
}
