import { notFound } from '@flowpost/contract/rules'
import { parseRecipient } from '@flowpost/domain'
import type { CompletionTracker } from '../delivery/completion.ts'
import { digest } from '../deterministic.ts'
import type { Handlers, Principal } from '../http/handler.ts'
import type { Erasure } from '../state/api-types.ts'
import { channelsOf, type MockContext, timestamp } from '../state/mock-context.ts'
import type { ErasureRecord } from '../state/store.ts'
import { eraseFromLog } from './erase-from-log.ts'
import { suppress } from './suppressions.ts'

const toErasure = ({ userId: _, ...erasure }: ErasureRecord): Erasure => erasure

/** Returns the text that replaces a recipient's address. */
const erasedTarget = (userId: string, key: string): string =>
  `erased:${digest(`${userId}\0${key}`).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}`

/**
 * Replaces the recipient's address with `target` in the suppression lists of all the user's projects. If `sourceType` is
 * given, suppressions for other providers do not change. With `block`, also suppresses the recipient in each project.
 */
const updateSuppressions = (
  context: MockContext,
  { userId }: Principal,
  { key, sourceType, block }: { readonly key: string; readonly sourceType: string | undefined; readonly block: boolean },
  target: string,
): void => {
  const { projects, suppressions } = context.store
  for (const { id, userId: owner } of projects.values()) {
    if (owner !== userId) continue
    for (const each of suppressions.values()) {
      const isCovered = sourceType === undefined || each.source_type === null || each.source_type === sourceType
      if (each.projectId === id && each.key === key && isCovered) each.target = target
    }
    const fields = { projectId: id, key, target, source_type: sourceType ?? null, reason: 'erasure', source: 'erasure' } as const
    if (block) suppress(context, fields)
  }
}

/**
 * Creates the handlers of the erasure operations. The mock erases immediately, so every erasure has the status `done`.
 */
export const createErasures = (context: MockContext, completion: CompletionTracker): Handlers<'erasures'> => {
  const { store } = context
  return {
    create: ({ principal, body: { target: given, block } }) => {
      const recipient = parseRecipient(channelsOf(context), given)
      if (!recipient.ok) throw new Error('The recipient is invalid. The body check should have rejected it.')
      const { key, sourceType } = recipient
      const target = erasedTarget(principal.userId, key)
      updateSuppressions(context, principal, { key, sourceType, block }, target)
      const now = timestamp(context)
      const erasure: ErasureRecord = {
        id: context.generateId('erasure'),
        userId: principal.userId,
        status: 'done',
        target,
        source_type: sourceType ?? null,
        block,
        deliveries: eraseFromLog(context, completion, { userId: principal.userId, key, sourceType, target }),
        requested_by: principal.keyId,
        created_at: now,
        done_at: now,
      }
      store.erasures.set(erasure.id, erasure)
      return { status: 202, body: toErasure(erasure), headers: { Location: `/v1/erasures/${erasure.id}` } }
    },

    get: ({ principal, params }) => {
      const erasure = store.erasures.get(params.erasure_id ?? '')
      if (erasure?.userId !== principal.userId) throw notFound()
      return { status: 200, body: toErasure(erasure) }
    },
  }
}
