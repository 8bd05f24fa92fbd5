import { type Flowpost, isFlowpostError, type NotificationSend } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import { keyPattern } from '../settings/validate-config.ts'
import { findFlowId, findProjectId } from './find-settings.ts'

/** The project and the flow of a notification, each by id or by key. */
export type Address = Pick<NotificationSend, 'project_id' | 'project' | 'flow_id' | 'flow'>

/**
 * Returns an id or a key as a field of a send request.
 *
 * @throws {CliError} When `given` is neither.
 */
const toField = (kind: 'project' | 'flow', given: string | undefined): Address => {
  if (given?.startsWith(kind === 'project' ? 'prj_' : 'flw_')) return { [`${kind}_id`]: given }
  if (given !== undefined && keyPattern.test(given)) return { [kind]: given }
  throw new CliError(
    `The API key lacks the scope settings:read, so the command cannot look up the ${kind}.`,
    `Pass the key of the ${kind}, such as --${kind} ${kind === 'project' ? 'billing' : 'ops-mail'}, or its id.`,
  )
}

/**
 * Finds the project and the flow of a notification by id, key or name. Looking them up requires the scope `settings:read`.
 * If the credential lacks this scope, ids and keys are returned unchanged, and names are rejected.
 *
 * @param given.project The project. It can be `undefined` if there is only one project and the credential can look it up.
 * @throws {CliError} When no project or flow matches, when several match, or when the credential lacks the scope for a lookup.
 */
export const findAddress = async (
  flowpost: Flowpost,
  { project, flow }: { readonly project?: string | undefined; readonly flow?: string | undefined },
): Promise<Address> => {
  try {
    const projectId = await findProjectId(flowpost, project)
    return { project_id: projectId, flow_id: flow === undefined ? undefined : await findFlowId(flowpost, projectId, flow) }
  } catch (error) {
    if (!isFlowpostError(error) || error.code !== 'scope_missing') throw error
    return { ...toField('project', project), ...(flow === undefined ? {} : toField('flow', flow)) }
  }
}
