import type { FieldError } from '@flowpost/contract'
import { notFound, toBodyErrors } from '@flowpost/contract/rules'
import { parseRecipient, recipientKey } from '@flowpost/domain'
import type { Handlers } from '../http/handler.ts'
import { createPage, parsePageRequest } from '../http/pagination.ts'
import type { Suppression } from '../state/api-types.ts'
import { channelsOf, type MockContext, timestamp } from '../state/mock-context.ts'
import type { SuppressionRecord } from '../state/store.ts'
import { findProject } from './projects.ts'

const toSuppression = ({ id, target, source_type, reason, source, created_at }: SuppressionRecord): Suppression => ({
  id,
  target,
  source_type,
  reason,
  source,
  created_at,
})

/**
 * Returns the suppression that applies to a recipient. If several apply, prefers one whose address was erased.
 * `acceptNotification` then stores that suppression's `erased:…` placeholder instead of the address in the request.
 */
export const findSuppression = (
  context: MockContext,
  projectId: string,
  { source_type, target }: { readonly source_type: string; readonly target: string },
): SuppressionRecord | undefined => {
  if (context.store.suppressions.size === 0) return undefined
  const key = recipientKey(channelsOf(context), source_type, target)
  const matching = [...context.store.suppressions.values()].filter(
    (each) => each.projectId === projectId && each.key === key && (each.source_type ?? source_type) === source_type,
  )
  return matching.find((each) => each.target.startsWith('erased:')) ?? matching[0]
}

/** Adds a suppression, unless the same recipient is already suppressed for the same provider. */
export const suppress = (
  context: MockContext,
  fields: Omit<SuppressionRecord, 'id' | 'created_at'>,
): { readonly record: SuppressionRecord; readonly isNew: boolean } => {
  const { suppressions } = context.store
  const { projectId, key, source_type } = fields
  const existing = [...suppressions.values()].find(
    (each) => each.projectId === projectId && each.key === key && each.source_type === source_type,
  )
  if (existing) return { record: existing, isNew: false }
  const record = { ...fields, id: context.generateId('suppression'), created_at: timestamp(context) }
  suppressions.set(record.id, record)
  return { record, isNew: true }
}

/** Returns an issue if the body's `target` is not a valid recipient. */
export const recipientIssues = (context: MockContext, body: unknown): readonly FieldError[] => {
  const target: unknown = (body as { target?: unknown } | null | undefined)?.target
  if (typeof target !== 'string' || target === '') return []
  const parsed = parseRecipient(channelsOf(context), target)
  return parsed.ok ? [] : toBodyErrors([{ pointer: '/target', code: 'invalid_target', message: parsed.message }])
}

/** Creates the handlers of the suppression operations. */
export const createSuppressions = (context: MockContext): Handlers<'suppressions'> => {
  const { store } = context
  return {
    create: ({ principal, params, body }) => {
      const project = findProject(context, principal, params.project_id ?? '')
      const recipient = parseRecipient(channelsOf(context), body.target)
      if (!recipient.ok) throw new Error('The recipient is invalid. The body check should have rejected it.')
      const { key, target, sourceType = null } = recipient
      const fields = { projectId: project.id, key, target, source_type: sourceType, reason: body.reason, source: 'api' } as const
      const { record, isNew } = suppress(context, fields)
      const suppression = toSuppression(record)
      return isNew
        ? { status: 201, body: suppression, headers: { Location: `/v1/settings/projects/${project.id}/suppressions/${record.id}` } }
        : { status: 200, body: suppression }
    },

    list: ({ principal, params, query: { target, ...page } }) => {
      const request = parsePageRequest('suppressions', 'oldest first', { project_id: params.project_id, target }, page)
      const project = findProject(context, principal, params.project_id ?? '')
      const parsed = target === undefined ? undefined : parseRecipient(channelsOf(context), target)
      const key = parsed?.ok ? parsed.key : recipientKey(channelsOf(context), '', target ?? '')
      const rows = [...store.suppressions.values()].filter(
        (each) => each.projectId === project.id && (target === undefined || each.key === key || each.target === target),
      )
      return { status: 200, body: createPage(request, rows, toSuppression) }
    },

    delete: ({ principal, params }) => {
      const project = findProject(context, principal, params.project_id ?? '')
      const suppression = store.suppressions.get(params.suppression_id ?? '')
      if (suppression?.projectId !== project.id) throw notFound()
      store.suppressions.delete(suppression.id)
      return { status: 204, body: undefined }
    },
  }
}
