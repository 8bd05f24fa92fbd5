/** A receiver: a provider and an address that it takes. */
export interface Receiver {
  readonly source_type: string
  readonly target: string
}

/** A provider that the deployment has no credentials for, and credentials that a project can have of its own. */
export interface UnconfiguredProvider extends Receiver {
  readonly settings: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, unknown>>
  /** Whether messages without credentials are captured (`FLOWPOST_CAPTURE` `on` or `missing`); else they are refused. */
  readonly isCaptured: boolean
}

/** A server that is to conform. Whatever is made on it is removed again; the log of deliveries stays. */
export interface ConformanceTarget {
  /** Where it is, without a slash at its end. */
  readonly baseUrl: string
  /** A key with all scopes that is not bound to a project. */
  readonly apiKey: string
  /** The same of another user. Without it, what concerns two users is skipped. */
  readonly otherApiKey?: string
  /** Sends requests. Default: `globalThis.fetch`. */
  readonly fetch?: (input: string, init: RequestInit) => Promise<Response>
  /**
   * Who messages are for. They are scheduled for days ahead and canceled, so nobody gets one, unless `mayDeliver` is set.
   * The deployment needs credentials for the provider, or must capture. Default: `smtp` and `conformance@example.com`.
   */
  readonly receiver?: Receiver
  /** Whether messages may really be delivered to `receiver`. Default `false`: what needs it is skipped. */
  readonly mayDeliver?: boolean
  /** Without it, what happens without credentials is skipped. */
  readonly unconfigured?: UnconfiguredProvider
  /** Most bytes of a request body. Default 1 MiB. */
  readonly bodyLimitBytes?: number
}

/** Something that a scenario needs beside `baseUrl` and `apiKey`. */
export type Need = 'otherApiKey' | 'mayDeliver' | 'unconfigured' | 'refuses without credentials'

/** What a scenario needs and a target does not have. */
export const missingNeed = (target: ConformanceTarget, needs: readonly Need[]): Need | undefined =>
  needs.find((need) => {
    if (need === 'refuses without credentials') return target.unconfigured === undefined || target.unconfigured.isCaptured
    return !target[need]
  })
