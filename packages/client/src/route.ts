/** What the SDK knows of one operation at run time. The generator writes it from the contract. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path under the base URL, with `:name` for each parameter. */
  readonly path: string
  /** Takes a JSON body. */
  readonly body?: true
  /** Takes query parameters. */
  readonly query?: true
  /** Answers with a page of a list. */
  readonly page?: true
  /** Honours `Idempotency-Key`. */
  readonly idempotent?: true
  /** May be repeated though it is a POST without a key. */
  readonly repeatable?: true
  /** The fields that a request takes; set where a function may be given instead of a body. */
  readonly fields?: readonly string[]
  /** The longest `wait` in seconds, where the query has one. */
  readonly wait?: number
}

/** Routes by the name of their method, in groups that may be nested. */
export interface RouteTable {
  readonly [name: string]: Route | RouteTable
}
