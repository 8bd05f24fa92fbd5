import { type FindFlowWarnings, type StoredSettings, settingsDigestInput } from '@flowpost/contract/rules'
import { type Channels, findTemplateWarnings } from '@flowpost/domain'
import { type Queryable, timestamp } from '../../database/database.ts'
import { etagOf } from '../../http/etag.ts'
import { toId } from '../../shared/ids.ts'
import { countEndpointsWithoutKey, type KeyedEndpointRow, listKeyedEndpoints } from '../events/keyed-endpoints.ts'
import { countFlowsWithoutKey, type KeyedFlowRow, listKeyedFlows } from '../flows/keyed-flows.ts'
import { allIntegrations, type IntegrationWithSecrets } from '../integrations/integration.queries.ts'
import type { ProjectRow } from '../projects/project.serializer.ts'

/** The stored settings of a project. */
export type ProjectSettings = StoredSettings<KeyedFlowRow, IntegrationWithSecrets, KeyedEndpointRow>

/**
 * Reads a project's settings. The caller must have locked the project or must use a snapshot, so that the parts of the
 * result are consistent.
 * @param lock whether to lock the flows and the event endpoints until the transaction ends.
 * @throws ApiError `settings_too_large`.
 */
export const readSettings = async (on: Queryable, project: ProjectRow, lock: boolean): Promise<ProjectSettings> => {
  const flows = await listKeyedFlows(on, project.id, lock)
  const integrations = await allIntegrations(on, project.id)
  const endpoints = await listKeyedEndpoints(on, project.id, lock)
  return {
    project: { ...project, id: toId('project', project.id), updated_at: timestamp(project.updated_at) },
    flows: flows.map((row) => ({ ...row, id: toId('flow', row.id), updated_at: timestamp(row.updated_at), stored: row })),
    integrations: integrations.map((row) => ({
      source_type: row.source_type,
      settings: row.settings,
      secretNames: row.secret_names,
      updated_at: timestamp(row.updated_at),
      stored: row,
    })),
    endpoints: endpoints.map((row) => ({ ...row, id: toId('eventEndpoint', row.id), updated_at: timestamp(row.updated_at), stored: row })),
    flowsWithoutKey: await countFlowsWithoutKey(on, project.id),
    endpointsWithoutKey: await countEndpointsWithoutKey(on, project.id),
  }
}

/** Returns the settings digest. `undefined` stands for a project that does not exist. */
export const digestOf = (stored: ProjectSettings | undefined): string => etagOf(settingsDigestInput(stored)).slice(1, -1)

/** Creates a function that finds likely mistakes in a flow's message template. */
export const flowWarnings =
  (channels: Channels): FindFlowWarnings =>
  ({ message_template, message_template_type, source_type }) =>
    findTemplateWarnings({
      template: message_template,
      templateType: message_template_type,
      channel: channels.get(source_type),
    })
