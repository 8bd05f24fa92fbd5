import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { declareRead, declareWrite } from './access.ts'
import { conditionalRead, conditionalWrite, idempotentWrite } from './headers.ts'
import { IdParam } from './primitives.ts'
import { SettingsApplied, SettingsApply, SettingsExport } from './settings-document.ts'

const c = initContract()

const exportAccess = declareRead('settings:read', ['not_found', 'settings_too_large'])
const applyAccess = declareWrite('settings:write', [
  'not_found',
  'project_name_taken',
  'key_taken',
  'encryption_not_configured',
  'settings_too_large',
  'etag_mismatch',
  ...idempotentWrite.problems,
])

/** The operations on all settings of a project together. */
export const settings = c.router(
  {
    export: {
      method: 'GET',
      path: '/v1/settings/projects/:project_id/export',
      summary: 'Export the settings of a project',
      description:
        'Returns the settings of a project as a document that can be applied: the project, its flows that have a key, and its integrations without their secrets.',
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
        'Creates or changes a project, its flows and its integrations, so that they are as in the document. All changes are made in one transaction, or none. Flows without a key are not changed. A flow or integration that the document does not contain is deleted only with `prune`; the pending deliveries of a deleted flow are canceled. To apply exactly the changes that a dry run has returned, send its `digest` as an entity tag in `If-Match`. A credential that is bound to a project can apply only the settings of that project, and cannot create one.',
      headers: { ...idempotentWrite.headers, ...conditionalWrite },
      body: SettingsApply,
      responses: { 200: SettingsApplied, ...applyAccess.responses },
      metadata: { ...applyAccess.metadata, idempotent: true },
    },
  },
  { strictStatusCodes: true },
)
