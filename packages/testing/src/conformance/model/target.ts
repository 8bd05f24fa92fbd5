/** One of two servers that are held against each other. Its user must have no projects, and nobody else may use it. */
export interface ModelTarget {
  /** What it is called in a report, as in `mock`. */
  readonly name: string
  /** Where it is, without a slash at its end. */
  readonly baseUrl: string
  /** A key with all scopes that is not bound to a project. */
  readonly apiKey: string
  /** Sends requests. Default: `globalThis.fetch`. */
  readonly fetch?: (input: string, init: RequestInit) => Promise<Response>
  /** Lets at least a millisecond pass on the clock of the server, so that what changes has another time. */
  readonly tick: () => Promise<unknown>
}
