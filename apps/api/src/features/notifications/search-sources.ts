import { pageLimit } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { RecipientForms } from '../delivery/recipients/recipients.ts'

/**
 * The filters for listing notifications. Ids are database ids, not those of the API. A filter that is `undefined` matches
 * everything.
 */
export interface SearchFilters {
  readonly userId: string
  readonly projectId: Uuid | undefined
  readonly flowId: Uuid | undefined
  readonly status: string | undefined
  readonly reference: string | undefined
  readonly recipient: RecipientForms | undefined
  readonly sourceType: string | undefined
  readonly failureKind: string | undefined
  readonly failureCode: string | undefined
  /** The lower limit of notification ids, inclusive. */
  readonly from: Uuid
  /** The upper limit of notification ids, exclusive. */
  readonly before: Uuid
}

/** Adds a parameter to a statement and returns its placeholder. */
export type AddValue = (value: unknown) => `$${number}`

/** An index that yields notification ids, newest first. */
export interface SearchSource {
  /** Returns a query that selects at most `limit` notification ids through this index, newest first. */
  idsOf(add: AddValue, limit: number): string
  /**
   * Whether the index alone suffices for all given filters; see {@link sourcesOf}. If `false`, the caller must check each
   * notification.
   */
  readonly isComplete: boolean
}

const isInRange = (column: string, { from, before }: SearchFilters, add: AddValue): string =>
  `${column} >= ${add(from)} and ${column} < ${add(before)}`

const fromNotifications =
  (filters: SearchFilters, condition: (add: AddValue) => string): SearchSource['idsOf'] =>
  (add, limit) =>
    `select n.id from notifications n where n.user_id = ${add(filters.userId)} and ${condition(add)} and ${isInRange('n.id', filters, add)}
     order by n.id desc ${pageLimit(add(limit))}`

const fromDeliveries =
  (filters: SearchFilters, condition: (add: AddValue) => string): SearchSource['idsOf'] =>
  (add, limit) =>
    `select distinct d.notification_id as id from deliveries d where ${condition(add)} and ${isInRange('d.notification_id', filters, add)}
     order by 1 desc ${pageLimit(add(limit))}`

/**
 * Returns the query for a search by recipient. The recipient index contains only completed deliveries, so the query
 * also selects all of the user's queued and sending notifications. It does not filter these by recipient or failure, so
 * the caller must check every filter.
 */
const fromRecipients =
  (filters: SearchFilters, { digests }: RecipientForms): SearchSource['idsOf'] =>
  (add, limit) => {
    const { failureCode, failureKind } = filters
    const conditions = ['r.digest = wanted.digest']
    if (failureCode !== undefined) conditions.push(`r.failure_code = ${add(failureCode)}`)
    else if (failureKind !== undefined) conditions.push(`r.failure_kind = ${add(failureKind)}`)
    return `select distinct id from (
        select completed.id from unnest(${add(digests)}::uuid[]) as wanted(digest) cross join lateral (
          select distinct r.notification_id as id from recipient_digests r
          where ${conditions.join(' and ')} and ${isInRange('r.notification_id', filters, add)} order by 1 desc ${pageLimit(add(limit))}
        ) completed
        union all
        select open.id from unnest(array['queued', 'sending']) as wanted(status) cross join lateral (
          select n.id from notifications n
          where n.user_id = ${add(filters.userId)} and n.status = wanted.status and ${isInRange('n.id', filters, add)}
          order by n.id desc ${pageLimit(add(limit))}
        ) open
      ) either order by id desc ${pageLimit(add(limit))}`
  }

const deliveryFilters = ['flowId', 'recipient', 'sourceType', 'failureKind', 'failureCode'] as const
const notificationFilters = ['projectId', 'status', 'reference'] as const

/**
 * Returns the indexes that can serve a search: one for each given filter that has an index. If there is no such filter,
 * returns the index of all the user's notifications. The index for `flowId` also suffices if `projectId` is given: a
 * flow belongs to one user and one project, so `projectId` matches either all of the flow's notifications or none of them.
 */
export const sourcesOf = (filters: SearchFilters): readonly SearchSource[] => {
  const { projectId, flowId, status, reference, recipient, failureKind, failureCode, userId } = filters
  const given = [...deliveryFilters, ...notificationFilters].filter((name) => filters[name] !== undefined)
  const isOnly = (...names: readonly (typeof given)[number][]) => given.every((name) => names.includes(name))
  const sources: SearchSource[] = []
  if (reference !== undefined)
    sources.push({ idsOf: fromNotifications(filters, (add) => `n.reference = ${add(reference)}`), isComplete: isOnly('reference') })
  if (recipient) sources.push({ idsOf: fromRecipients(filters, recipient), isComplete: false })
  if (failureCode !== undefined)
    sources.push({
      idsOf: fromDeliveries(
        filters,
        (add) => `d.user_id = ${add(userId)} and d.failure ->> 'code' = ${add(failureCode)} and d.failure is not null`,
      ),
      isComplete: isOnly('failureCode'),
    })
  if (failureKind !== undefined)
    sources.push({
      idsOf: fromDeliveries(
        filters,
        (add) => `d.user_id = ${add(userId)} and d.failure ->> 'kind' = ${add(failureKind)} and d.failure is not null`,
      ),
      isComplete: isOnly('failureKind'),
    })
  if (flowId !== undefined)
    sources.push({ idsOf: fromDeliveries(filters, (add) => `d.flow_id = ${add(flowId)}`), isComplete: isOnly('flowId', 'projectId') })
  if (status !== undefined)
    sources.push({ idsOf: fromNotifications(filters, (add) => `n.status = ${add(status)}`), isComplete: isOnly('status') })
  if (projectId !== undefined)
    sources.push({ idsOf: fromNotifications(filters, (add) => `n.project_id = ${add(projectId)}`), isComplete: isOnly('projectId') })
  if (sources.length > 0) return sources
  return [{ idsOf: fromNotifications(filters, () => 'true'), isComplete: isOnly() }]
}

// Email address domains are compared in lower case, as in `parseEmailAddress`.
const canonicalTarget = `case when strpos(d.target, '@') > 0
    then left(d.target, strpos(d.target, '@')) || lower(substr(d.target, strpos(d.target, '@') + 1)) else d.target end`

/** Returns the SQL conditions that a notification `n` must meet. */
export const notificationConditions = ({ userId, projectId, status, reference }: SearchFilters, add: AddValue): string[] => {
  const conditions = [`n.user_id = ${add(userId)}`]
  if (projectId !== undefined) conditions.push(`n.project_id = ${add(projectId)}`)
  if (status !== undefined) conditions.push(`n.status = ${add(status)}`)
  if (reference !== undefined) conditions.push(`n.reference = ${add(reference)}`)
  return conditions
}

/**
 * Returns the SQL conditions that one delivery `d` of a notification must meet; empty if no filter applies to
 * deliveries.
 */
export const deliveryConditions = (filters: SearchFilters, add: AddValue): string[] => {
  const { flowId, recipient, sourceType, failureKind, failureCode } = filters
  const conditions: string[] = []
  if (flowId !== undefined) conditions.push(`d.flow_id = ${add(flowId)}`)
  if (sourceType !== undefined) conditions.push(`d.source_type = ${add(sourceType)}`)
  if (failureKind !== undefined) conditions.push(`d.failure ->> 'kind' = ${add(failureKind)}`)
  if (failureCode !== undefined) conditions.push(`d.failure ->> 'code' = ${add(failureCode)}`)
  if (recipient) {
    const targets = `${add(recipient.targets)}::text[]`
    const isOpenMatch = `d.target = any(${targets}) or ${canonicalTarget} = any(${targets})`
    conditions.push(`(d.recipient_digest = any(${add(recipient.digests)}::uuid[]) or d.recipient_digest is null and (${isOpenMatch}))`)
  }
  return conditions
}
