/** The result of one check of `flowpost doctor`. */
export interface Finding {
  readonly check: string
  /** A `problem` makes the command fail; a `warning` does not. */
  readonly status: 'ok' | 'warning' | 'problem'
  readonly detail: string
  /** An action that solves a problem or a warning. */
  readonly action?: string | undefined
}

const docsUrl = 'https://flowpost.github.io/flowpost'

/** The page that explains the problems and warnings of a check, by the first word of the check. */
export const checkPages: Readonly<Record<string, string>> = {
  stored: '/reference/cli',
  server: '/reference/log',
  encryption: '/operate/production',
  versions: '/guides/upgrading',
  key: '/problems/unauthenticated',
  clock: '/reference/log#clock-skew',
  scopes: '/problems/scope_missing',
  expiry: '/problems/unauthenticated',
  flow: '/reference/failures',
  project: '/problems/no_active_flows',
}

/** Returns the address of the documentation of a problem or a warning; `undefined` for a check that passed. */
export const helpOf = ({ check, status }: Finding): string | undefined => {
  const page = status === 'ok' ? undefined : checkPages[check.split(' ')[0] ?? '']
  return page === undefined ? undefined : `${docsUrl}${page}`
}
