/** Which messages are captured instead of sent: all, none, or those that there is no credential for. */
export type CaptureMode = 'on' | 'off' | 'missing'

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
 * @param sourceTypes The providers that a notification goes through.
 * @param hasCredential Whether there is a credential for one. Asked only when it matters.
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
