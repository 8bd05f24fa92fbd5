/**
 * The condition for capturing messages: always (`on`), never (`off`), or only if their provider has no credential
 * (`missing`). A captured message is stored in a local outbox instead of being sent.
 */
export type CaptureMode = 'on' | 'off' | 'missing'

/**
 * The decision whether a notification's messages are sent or captured (stored in a local outbox), for each provider. The
 * messages of a provider that is neither in `captured` nor in `missing` are sent.
 */
export interface CaptureDecision {
  /** The `source_type` of each provider whose messages are captured. */
  readonly captured: ReadonlySet<string>
  /** The `source_type` of each provider that has no credential and whose messages are not captured. These messages cannot be delivered. */
  readonly missing: ReadonlySet<string>
}

/**
 * Decides for which providers a notification's messages are captured. The decision is made when the notification is
 * accepted, so removing a credential later never turns an accepted message into a captured one.
 * @param sourceTypes The providers that the notification uses.
 * @param hasCredential Returns whether a provider has a credential. Called only if the decision depends on it.
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
