/** Which messages to capture instead of sending: all (`on`), none (`off`), or those whose provider has no credential (`missing`). */
export type CaptureMode = 'on' | 'off' | 'missing'

/** Which providers capture messages, and which cannot deliver. */
export interface CaptureDecision {
  /** The providers whose messages are captured instead of sent. */
  readonly captured: ReadonlySet<string>
  /** The providers without a credential whose messages are not captured either. */
  readonly missing: ReadonlySet<string>
}

/**
 * Decides which messages of a notification to capture. The decision is made when the notification is accepted, so that
 * removing a credential later never causes an accepted message to be captured instead of sent.
 * @param sourceTypes The providers of the notification.
 * @param hasCredential Whether a provider has a credential. Called only if the result depends on it.
 */
export const decideCapture = (
  mode: CaptureMode,
  sourceTypes: Iterable<string>,
  hasCredential: (sourceType: string) => boolean,
): CaptureDecision => {
  const captured = new Set<string>()
  const missing = new Set<string>()
  for (const sourceType of new Set(sourceTypes)) {
    if (mode === 'on') captured.add(sourceType)
    else if (!hasCredential(sourceType)) (mode === 'missing' ? captured : missing).add(sourceType)
  }
  return { captured, missing }
}
