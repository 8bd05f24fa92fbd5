/** The runtime description of one operation. The generator writes it from the contract. */
export interface Route {
  /** @default "GET" */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path relative to the base URL, with `:name` for each parameter. */
  readonly path: string
  /** The operation accepts a JSON body. */
  readonly body?: true
  /** The operation accepts query parameters. */
  readonly query?: true
  /** The operation returns one page of a list. */
  readonly page?: true
  /** The operation supports `Idempotency-Key`. */
  readonly idempotent?: true
  /** The operation is safe to retry, although it is a POST without an idempotency key. */
  readonly repeatable?: true
  /**
   * The fields of the request body. Present only if callers can pass a function instead of a body. The function receives
   * the current resource and returns the body.
   */
  readonly fields?: readonly string[]
  /** The maximum of the query parameter `wait`, in seconds. */
  readonly wait?: number
}

/** Routes by method name, in groups that may be nested. */
export interface RouteTable {
  readonly [name: string]: Route | RouteTable
}
