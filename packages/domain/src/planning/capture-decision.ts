/**
 * When to capture messages, which means to store them in a local outbox instead of sending them: always (`on`), never
 * (`off`), or only if their provider has no credential (`missing`).
 */
export type CaptureMode = 'on' | 'off' | 'missing'

/** The decision for each provider of a notification. A provider in neither set sends its messages. */
export interface CaptureDecision {
  /** The `source_type` of each provider whose messages are captured. */
  readonly captured: ReadonlySet<string>
  /** The `source_type` of each provider that has no credential and whose messages are not captured. These messages cannot be delivered. */
  readonly missing: ReadonlySet<string>
}

/**
 * Decides for which providers the messages of a notification are captured. The decision is made when the notification is
 * accepted. Removing a credential later therefore never turns an accepted message into a captured one.
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
