import { comparedProjectKey, settingsChangedHeaders, settingsDigestHeader } from '@flowpost/contract/rules'
import type { Request, Response } from 'express'
import type { Principal } from '../../auth/principal.ts'
import { principalOf } from '../../http/request-context.ts'

/** The dependencies of {@link reportSettingsChange}. */
export interface SettingsChangeDeps {
  /**
   * Returns the settings digest of the project with the given key, or `undefined` if the principal has no such project.
   */
  readonly findSettingsDigest: (principal: Principal, projectKey: string) => Promise<string | undefined>
}

/**
 * Sets a response header if the digest of the project's settings differs from the digest in the request. Does nothing if
 * the request has no digest or does not name its project by key. Call it before processing the request, so that the
 * response to a rejected request has the header too.
 */
export const reportSettingsChange = async (
  { findSettingsDigest }: SettingsChangeDeps,
  { body, req, res }: { readonly body: unknown; readonly req: Request; readonly res: Response },
): Promise<void> => {
  const known = req.get(settingsDigestHeader)
  const projectKey = known === undefined ? undefined : comparedProjectKey(body)
  if (projectKey === undefined) return
  const current = await findSettingsDigest(principalOf(res), projectKey)
  if (current !== undefined && current !== known) res.set(settingsChangedHeaders)
}
