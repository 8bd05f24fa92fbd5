import { api } from '@flowpost/contract'
import { findSettingsWarnings, isNotModified, toSettingsDocument } from '@flowpost/contract/rules'
import { initServer } from '@ts-rest/express'
import type { Logger } from 'pino'
import type { Idempotency } from '../../http/idempotency.ts'
import { type IdempotentResponse, keyOf } from '../../http/idempotency-key.ts'
import { contextOf, principalOf } from '../../http/request-context.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { getProject } from '../projects/project.queries.ts'
import { type Applied, type ApplySettingsDeps, applySettings, dryRun, prepareApply } from './apply-settings.ts'
import { digestOf, flowWarnings, readSettings } from './stored-settings.ts'

/** The dependencies of {@link createSettingsRoutes}. */
export interface SettingsRoutesDeps extends ApplySettingsDeps {
  readonly idempotency: Idempotency
}

const logCanceled =
  (log: Logger) =>
  (notificationIds: readonly Uuid[]): void => {
    for (const id of notificationIds)
      log.info({ notification_id: toId('notification', id) }, 'Deliveries canceled, because their flow was deleted.')
  }

/** Creates the routes of settings documents. */
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
      const warnings = findSettingsWarnings(document.flows, stored.flowsWithoutKey, flowWarnings(channels))
      return { status: 200, body: { project_id: stored.project.id, digest, document, warnings } }
    },

    apply: async ({ body, req, res }) => {
      const principal = principalOf(res)
      const request = { principal, body, ifMatch: req.get('if-match') }
      const onCanceled = logCanceled(contextOf(res).log)
      // A repeated request must get the first response, although its `If-Match` is outdated by now.
      const key = keyOf(req, principal, body)
      const replayed = key && (await idempotency.find<200, Applied>(key))
      const counts = replayed || body.dry_run ? new Map() : await prepareApply(deps, request, onCanceled)
      let canceled: readonly Uuid[] = []
      const response = await idempotency.run(req, principal, body, async (transaction): Promise<IdempotentResponse<200, Applied>> => {
        if (body.dry_run) return { status: 200, body: await dryRun(transaction, deps, request) }
        const result = await applySettings(transaction, deps, request, counts)
        canceled = result.canceled
        return { status: 200, body: result.applied }
      })
      onCanceled(canceled)
      res.set(response.headers)
      return { status: 200, body: response.body }
    },
  })
}
