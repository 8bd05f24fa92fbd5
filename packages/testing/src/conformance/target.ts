/** A provider, and a recipient's address that is valid for it. */
export interface Receiver {
  readonly source_type: string
  readonly target: string
}

/**
 * A provider for which the deployment has no credentials. Scenarios can store the given settings and secrets in a
 * project.
 */
export interface UnconfiguredProvider extends Receiver {
  /** Another valid recipient for the provider. Defaults to `target` with a different last character. */
  readonly otherTarget?: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, unknown>>
  /**
   * Whether the deployment captures messages for this provider. It does so if its variable `FLOWPOST_CAPTURE` has the value
   * `on` or `missing`. Otherwise, the deployment rejects these messages, because it has no credentials for the provider.
   */
  readonly isCaptured: boolean
}

/** Returns a valid recipient for the provider that differs from its `target`. */
export const otherTargetOf = ({ target, otherTarget }: UnconfiguredProvider): string =>
  otherTarget ?? target.replace(/.$/, (last) => (/[a-z]/.test(last) ? (last === 'a' ? 'b' : 'a') : last === 'A' ? 'B' : 'A'))

/**
 * The server to check. Projects and API keys that the scenarios create are deleted afterwards. Records such as the delivery
 * log and the settings history remain.
 */
export interface ConformanceTarget {
  /** The base URL without a trailing slash. */
  readonly baseUrl: string
  /** An API key that has all scopes and is not bound to a project. */
  readonly apiKey: string
  /** Another user's API key. If omitted, scenarios that need two users are skipped. */
  readonly otherApiKey?: string
  /** The function that sends requests. Defaults to `globalThis.fetch`. */
  readonly fetch?: (input: string, init: RequestInit) => Promise<Response>
  /**
   * The receiver of messages. Defaults to the provider `smtp` and the address `conformance@example.com`. Unless
   * `mayDeliver` is set, messages are scheduled days ahead and canceled. The deployment must either have credentials
   * for the provider or capture messages.
   */
  readonly receiver?: Receiver
  /**
   * Whether messages may be delivered to `receiver`. If not, scenarios that deliver messages are skipped.
   * @default false
   */
  readonly mayDeliver?: boolean
  /**
   * A provider for which the deployment has no credentials. If omitted, scenarios about missing credentials are
   * skipped.
   */
  readonly unconfigured?: UnconfiguredProvider
  /**
   * Maximum size of a request body in bytes.
   * @default 1_048_576
   */
  readonly bodyLimitBytes?: number
  /**
   * The deployment's `FLOWPOST_QUEUE_LIMIT`, which must be at most 100. Some scenarios fill the queue, so nothing else
   * may use the deployment. If omitted, these scenarios are skipped.
   */
  readonly queueLimit?: number
  /**
   * The deployment's `FLOWPOST_RATE_LIMIT`. If omitted, the scenarios that exceed this limit are skipped. Do not run
   * these scenarios together with others, because after the limit is exceeded, the server rejects requests with `apiKey`
   * for up to `seconds` seconds. Nothing else may use the deployment.
   */
  readonly rateLimit?: { readonly requests: number; readonly seconds: number }
}

/** A requirement that a scenario has in addition to `baseUrl` and `apiKey`. */
export type Requirement =
  | 'otherApiKey'
  | 'mayDeliver'
  | 'unconfigured'
  | 'rejectsWithoutCredentials'
  | 'capturesWithoutCredentials'
  | 'queueLimit'
  | 'rateLimit'

/** Returns the first requirement that a {@link ConformanceTarget} does not meet. */
export const missingRequirement = (target: ConformanceTarget, requirements: readonly Requirement[]): Requirement | undefined =>
  requirements.find((requirement) => {
    if (requirement === 'rejectsWithoutCredentials') return target.unconfigured === undefined || target.unconfigured.isCaptured
    if (requirement === 'capturesWithoutCredentials') return !target.unconfigured?.isCaptured
    return !target[requirement]
  })
