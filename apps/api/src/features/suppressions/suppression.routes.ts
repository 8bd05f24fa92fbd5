import { api } from '@flowpost/contract'
import { type Channels, parseRecipient, recipientKey } from '@flowpost/domain'
import { initServer } from '@ts-rest/express'
import { projectTag } from '../../cache-tags.ts'
import type { Database } from '../../database/database.ts'
import type { BodyCheck } from '../../http/check-bodies.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { decodeCursor, pageOf } from '../../http/pagination.ts'
import { principalOf } from '../../http/request-context.ts'
import { notFound } from '../../shared/api-error.ts'
import { fromId } from '../../shared/ids.ts'
import { checkRecipient } from '../delivery/recipients/check-recipient.ts'
import { parseErasedTarget } from '../delivery/recipients/erased-target.ts'
import type { RecipientDigest, Recipients } from '../delivery/recipients/recipients.ts'
import { getProject } from '../projects/project.queries.ts'
import { type AddSuppressionDeps, addSuppression } from './add-suppression.ts'
import { deleteSuppression, listSuppressions } from './suppression.queries.ts'
import { toSuppression } from './suppression.serializer.ts'

/** The dependencies of {@link createSuppressionRoutes}. */
export interface SuppressionRoutesDeps extends AddSuppressionDeps {
  readonly database: Database
  readonly idempotency: Idempotency
}

const list = 'suppressions'

/** Returns the digests of the recipient in the `target` filter of a list request. */
const digestsOfFilter = (
  { channels, recipients }: { readonly channels: Channels; readonly recipients: Recipients },
  userId: string,
  target: string,
): readonly RecipientDigest[] => {
  const erased = parseErasedTarget(target)
  if (erased !== undefined) return [erased]
  const parsed = parseRecipient(channels, target)
  return recipients.identitiesOfKey(userId, parsed.ok ? parsed.key : recipientKey(channels, '', target))
}

/** Creates the suppression routes. */
export const createSuppressionRoutes = (deps: SuppressionRoutesDeps) => {
  const { database, idempotency } = deps

  return initServer().router(api.suppressions, {
    create: async ({ params, body, req, res }) => {
      const principal = principalOf(res)
      const response = await idempotency.run(req, principal, body, async (transaction) => {
        const { row, isNew } = await addSuppression(transaction, deps, principal, params.project_id, body)
        const suppression = toSuppression(row)
        const location = `/v1/settings/projects/${params.project_id}/suppressions/${suppression.id}`
        return isNew ? { status: 201, body: suppression, headers: { Location: location } } : { status: 200, body: suppression }
      })
      res.set(response.headers)
      return { status: response.status as 200 | 201, body: response.body }
    },

    list: async ({ params, query, res }) => {
      const { limit, cursor, target } = query
      const principal = principalOf(res)
      const filters = { project_id: params.project_id, target }
      const after = cursor === undefined ? undefined : decodeCursor(list, filters, cursor)
      const project = await getProject(database, principal, params.project_id)
      const digests = target === undefined ? undefined : digestsOfFilter(deps, principal.userId, target)
      const rows = await listSuppressions(database, project.id, digests, limit + 1, after)
      return { status: 200, body: pageOf({ list, filters, limit, rows, toResponse: toSuppression }) }
    },

    delete: async ({ params, res }) => {
      const id = fromId('suppression', params.suppression_id)
      await database.transaction(async (transaction) => {
        const project = await getProject(transaction, principalOf(res), params.project_id, 'share')
        if (id === undefined || !(await deleteSuppression(transaction, project.id, id))) throw notFound()
        transaction.invalidate(projectTag(project.id))
      })
      return { status: 204, body: undefined }
    },
  })
}

/** Returns the body checks of the suppression routes. They reject a `target` that is not a valid recipient. */
export const suppressionBodyChecks = ({ channels }: { readonly channels: Channels }): ReadonlyMap<unknown, BodyCheck> =>
  new Map([[api.suppressions.create, checkRecipient(channels)]])
