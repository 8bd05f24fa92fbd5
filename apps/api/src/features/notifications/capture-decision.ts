import { type CaptureDecision, type CaptureMode, decideCapture } from '@flowpost/domain'
import type { Queryable } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { Credentials } from '../integrations/credentials.ts'

/** Looks for the credentials of a notification's providers, and decides what is captured. */
export const captureDecision = async (
  on: Queryable,
  deps: { credentials: Credentials; capture: CaptureMode },
  owner: { userId: string; projectId: Uuid },
  sourceTypes: Iterable<string>,
): Promise<CaptureDecision> => {
  const wanted = new Set(sourceTypes)
  const found = new Set<string>()
  if (deps.capture !== 'on')
    for (const sourceType of wanted) if (await deps.credentials.find(on, { ...owner, sourceType })) found.add(sourceType)
  return decideCapture(deps.capture, wanted, (sourceType) => found.has(sourceType))
}
