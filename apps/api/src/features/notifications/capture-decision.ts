import type { Queryable } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { Credentials } from '../integrations/credentials.ts'

/** How messages leave through each provider. */
export interface CaptureDecision {
  /** The providers whose messages are captured instead of sent. */
  readonly captured: ReadonlySet<string>
  /** The providers that can neither send nor be captured, for want of a credential. */
  readonly missing: ReadonlySet<string>
}

/**
 * Decides at acceptance what is captured, so that a message that was meant to be sent is never shown
 * as sent because its credential was removed meanwhile.
 */
export const decideCapture = async (
  on: Queryable,
  deps: { credentials: Credentials; capture: 'on' | 'off' | 'missing' },
  owner: { userId: string; projectId: Uuid },
  sourceTypes: Iterable<string>,
): Promise<CaptureDecision> => {
  const captured = new Set<string>()
  const missing = new Set<string>()
  for (const sourceType of new Set(sourceTypes)) {
    if (deps.capture === 'on') captured.add(sourceType)
    else if (!(await deps.credentials.find(on, { ...owner, sourceType }))) (deps.capture === 'missing' ? captured : missing).add(sourceType)
  }
  return { captured, missing }
}
