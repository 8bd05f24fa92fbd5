import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { declareRead, declareWrite } from './access.ts'
import { conditionalRead, conditionalWrite, idempotentWrite } from './headers.ts'
import { IdParam, pageQuery } from './primitives.ts'
import { SettingsApplied, SettingsApply, SettingsExport } from './settings-document.ts'
import { SettingsHistoryPage } from './settings-history.ts'

const c = initContract()

const exportAccess = declareRead('settings:read', ['not_found', 'settings_too_large'])
const historyAccess = declareRead('settings:read', ['not_found', 'invalid_cursor'])
const applyAccess = declareWrite('settings:write', [
  'not_found',
  'project_name_taken',
  'key_taken',
  'too_many_event_endpoints',
  'encryption_not_configured',
  'settings_too_large',
  'etag_mismatch',
  ...idempotentWrite.problems,
])

/** The operations on a project's settings as a whole. */
export const settings = c.router(
  {
    export: {
      method: 'GET',
      path: '/v1/settings/projects/:project_id/export',
      summary: 'Export the settings of a project',
      description:
        "Returns a project's settings as a document that can be applied. The document contains the project, its integrations, and each flow and event endpoint that has a key. It contains no secrets.",
      pathParams: z.object({ project_id: IdParam('project', 'The id of the project.') }),
      query: z.strictObject({}),
      headers: conditionalRead,
      responses: { 200: SettingsExport, 304: c.noBody(), ...exportAccess.responses },
      metadata: exportAccess.metadata,
    },
    apply: {
      method: 'POST',
      path: '/v1/settings/apply',
      summary: 'Apply a settings document',
      description:
        'Creates or changes a project, its flows, its integrations and its event endpoints, so that they match the document. All changes are made in one transaction. Flows and event endpoints without a key are not changed. The response contains the signing secret of each created event endpoint. The secret is shown only once. A flow, integration or event endpoint that the document does not contain is deleted only with `prune`; the pending deliveries of a deleted flow are canceled. To apply exactly the changes that a dry run returned, send its `digest` as an entity tag in `If-Match`. With `consequences`, a dry run also returns the effects that the changes would have had on past notifications. A credential that is bound to a project can apply only the settings of that project, and cannot create a project.',
      headers: { ...idempotentWrite.headers, ...conditionalWrite },
      body: SettingsApply,
      responses: { 200: SettingsApplied, ...applyAccess.responses },
      metadata: { ...applyAccess.metadata, idempotent: true },
    },
    history: {
      method: 'GET',
      path: '/v1/settings/history',
      summary: 'List settings changes',
      description:
        'Lists the changes to projects, flows, integrations and event endpoints, newest first. A change and its history entry are stored in the same transaction. A request that changes nothing is not recorded. Entries are kept for 400 days by default, even after their project is deleted. Erased addresses are replaced with `erased:` followed by a digest.',
      query: z.strictObject({
        ...pageQuery,
        project_id: IdParam('project', 'Returns only changes to the settings of this project.').optional(),
      }),
      responses: { 200: SettingsHistoryPage, ...historyAccess.responses },
      metadata: historyAccess.metadata,
    },
  },
  { strictStatusCodes: true },
)
