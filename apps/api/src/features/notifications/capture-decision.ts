import { type CaptureDecision, type CaptureMode, decideCapture } from '@flowpost/domain'
import type { Queryable } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { Credentials } from '../integrations/credentials.ts'

/** Whether there is a credential to send with through a provider. */
export type HasCredential = (sourceType: string) => Promise<boolean>

/** Looks for credentials of a project anew. */
export const credentialsOf =
  (credentials: Credentials, on: Queryable, owner: { userId: string; projectId: Uuid }): HasCredential =>
  async (sourceType) =>
    (await credentials.find(on, { ...owner, sourceType })) !== undefined

/** Looks for the credentials of a notification's providers, and decides what is captured. */
export const captureDecision = async (
  capture: CaptureMode,
  sourceTypes: Iterable<string>,
  hasCredential: HasCredential,
): Promise<CaptureDecision> => {
  const wanted = new Set(sourceTypes)
  const found = new Set<string>()
  if (capture !== 'on') for (const sourceType of wanted) if (await hasCredential(sourceType)) found.add(sourceType)
  return decideCapture(capture, wanted, (sourceType) => found.has(sourceType))
}
