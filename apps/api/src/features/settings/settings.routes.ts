import { api } from '@flowpost/contract'
import { findSettingsWarnings, isNotModified, omitEndpointSecrets, toSettingsDocument } from '@flowpost/contract/rules'
import { initServer } from '@ts-rest/express'
import type { Logger } from 'pino'
import type { UnitOfWork } from '../../database/database.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { type IdempotentResponse, keyOf } from '../../http/idempotency-key.ts'
import { decodeCursor, pageOf } from '../../http/pagination.ts'
import { authorOf, contextOf, principalOf } from '../../http/request-context.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { awaitEarlierTransactions } from '../events/await-earlier-transactions.ts'
import { getProject, projectUuid } from '../projects/project.queries.ts'
import { toHistoryEntry } from '../settings-history/history.serializer.ts'
import { listHistory } from '../settings-history/list-history.ts'
import { type Applied, applySettings, changesEndpoints, dryRun, prepareApply } from './apply-settings.ts'
import { type ConsequencesDeps, findConsequences } from './find-consequences.ts'
import { requireValidIntegrations } from './settings-body-checks.ts'
import { digestOf, flowWarnings, readSettings } from './stored-settings.ts'

const historyList = 'settings-history'

/** The dependencies of {@link createSettingsRoutes}. */
export interface SettingsRoutesDeps extends ConsequencesDeps {
  readonly idempotency: Idempotency
}

const logCanceled =
  (log: Logger) =>
  (notificationIds: readonly Uuid[]): void => {
    for (const id of notificationIds)
      log.info({ notification_id: toId('notification', id) }, 'Deliveries canceled, because their flow was deleted.')
  }

/** Creates the settings routes. */
export const createSettingsRoutes = (deps: SettingsRoutesDeps) => {
  const { database, channels, idempotency } = deps
  return initServer().router(api.settings, {
    export: async ({ params, req, res }) => {
      const stored = await database.transaction(async (transaction) =>
        readSettings(transaction, await getProject(transaction, principalOf(res), params.project_id, 'share'), false),
      )
      const digest = digestOf(stored)
      res.set('ETag', `"${digest}"`)
      if (isNotModified(req.get('if-none-match'), `"${digest}"`)) return { status: 304, body: undefined }
      const document = toSettingsDocument(stored)
      const warnings = findSettingsWarnings(document.flows, stored, flowWarnings(channels))
      return { status: 200, body: { project_id: stored.project.id, digest, document, warnings } }
    },

    history: async ({ query, res }) => {
      const { limit, cursor, ...filters } = query
      const principal = principalOf(res)
      const cursorFilters = { ...filters, user_id: principal.userId }
      const before = cursor === undefined ? undefined : decodeCursor(historyList, cursorFilters, cursor)
      const projectId = filters.project_id === undefined ? principal.projectId : projectUuid(principal, filters.project_id)
      const { rows, examinedTo } = await listHistory(database, { userId: principal.userId, projectId, count: limit + 1, before })
      // A deleted project's entries remain, so a missing project is an error only if no entries were found.
      if (rows.length === 0 && filters.project_id !== undefined) await getProject(database, principal, filters.project_id)
      const page = pageOf({ list: historyList, filters: cursorFilters, limit, rows, examinedTo, toResponse: toHistoryEntry })
      return { status: 200, body: page }
    },

    apply: async ({ body, req, res }) => {
      const principal = authorOf(res)
      const request = { principal, body, ifMatch: req.get('if-match') }
      const onCanceled = logCanceled(contextOf(res).log)
      // A repeated request must get the stored response, but these checks could reject it, because the settings may have changed
      // since.
      const counts = await idempotency.prepare(keyOf(req, principal, body), async () => {
        await requireValidIntegrations(deps, principal, body)
        return body.dry_run ? undefined : prepareApply(deps, request, onCanceled)
      })
      let canceled: readonly Uuid[] = []
      const run = async (transaction: UnitOfWork): Promise<IdempotentResponse<200, Applied>> => {
        if (body.dry_run) return { status: 200, body: await dryRun(transaction, deps, request) }
        const result = await applySettings(transaction, deps, request, counts ?? new Map())
        canceled = result.canceled
        return { status: 200, body: result.applied }
      }
      const response = await idempotency.run(req, principal, body, run, { toStored: omitEndpointSecrets })
      onCanceled(canceled)
      if (!body.dry_run && changesEndpoints(response.body)) await awaitEarlierTransactions(database)
      res.set(response.headers)
      // Finds the consequences outside the transaction, because examining the recent notifications may take two seconds. The
      // response that is stored for the idempotency key therefore does not contain the consequences.
      if (body.consequences) return { status: 200, body: { ...response.body, consequences: await findConsequences(deps, request) } }
      return { status: 200, body: response.body }
    },
  })
}
