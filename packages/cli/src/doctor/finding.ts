/** The result of one check of `flowpost doctor`. */
export interface Finding {
  readonly check: string
  /** A `problem` makes the command fail; a `warning` does not. */
  readonly status: 'ok' | 'warning' | 'problem'
  readonly detail: string
  /** An action that solves a problem or a warning. */
  readonly action?: string | undefined
}
