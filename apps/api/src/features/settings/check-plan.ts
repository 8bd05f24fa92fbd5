import { projectNameTaken, requireDocumentSize, type SettingsBody } from '@flowpost/contract/rules'
import type { Author } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import type { Encryption } from '../../shared/encryption.ts'
import { toId } from '../../shared/ids.ts'
import { requireEncryption } from '../../shared/require-encryption.ts'
import type { ProjectPlan } from './plan-deletions.ts'
import type { ProjectSettings } from './stored-settings.ts'

/** A plan, with the request and the stored settings from which it was made. */
export interface PlanToCheck {
  readonly principal: Author
  readonly body: SettingsBody
  /** `undefined` if the project does not exist. */
  readonly stored: ProjectSettings | undefined
  readonly plan: ProjectPlan
}

const projectWithName = 'select 1 from projects where user_id = $1 and name = $2'

/** Returns whether a plan sets a secret or creates an event endpoint, which has a signing secret. */
const storesSecrets = ({ integrations, endpoints }: ProjectPlan): boolean =>
  endpoints.creates.length > 0 ||
  [...integrations.creates, ...integrations.updates.map(({ given }) => given)].some(({ secrets = {} }) =>
    Object.values(secrets).some((secret) => secret !== null),
  )

/**
 * Rejects a plan that `applySettings` would reject, before anything is changed. `applySettings` can still reject a plan
 * that passed, because the settings may change in between.
 * @throws ApiError `project_name_taken`, `encryption_not_configured` or `settings_too_large`.
 */
export const checkPlan = async (
  on: Queryable,
  { encryption }: { readonly encryption: Encryption },
  { principal, body, stored, plan }: PlanToCheck,
): Promise<void> => {
  if (plan.project !== 'none') {
    const owners = await on.query(projectWithName, [principal.userId, body.project.name])
    if (owners.length > 0) throw projectNameTaken({ prefix: '/project' })
  }
  if (storesSecrets(plan)) requireEncryption(encryption)
  requireDocumentSize(stored, plan, ({ id }) => toId('flow', id))
}
