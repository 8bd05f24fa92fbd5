/** The result of one `flowpost doctor` check. */
export interface Finding {
  readonly check: string
  /** A `problem` makes the command fail; a `warning` does not. */
  readonly status: 'ok' | 'warning' | 'problem'
  readonly detail: string
  /** An action that resolves the problem or warning. */
  readonly action?: string | undefined
}

const docsUrl = 'https://flowpost.github.io/flowpost'

/** The documentation pages that explain problems and warnings, keyed by the first word of `Finding.check`. */
export const checkPages: Readonly<Record<string, string>> = {
  stored: '/reference/cli',
  server: '/reference/log',
  hold: '/guides/backup#4-decide-about-the-open-messages',
  encryption: '/operate/production',
  versions: '/guides/upgrading',
  key: '/problems/unauthenticated',
  clock: '/reference/log#clock-skew',
  scopes: '/problems/scope_missing',
  expiry: '/problems/unauthenticated',
  flow: '/reference/failures',
  project: '/problems/no_active_flows',
}

/** Returns the URL of the documentation for a problem or warning, or `undefined` for a check that passed. */
export const helpOf = ({ check, status }: Finding): string | undefined => {
  const page = status === 'ok' ? undefined : checkPages[check.split(' ')[0] ?? '']
  return page === undefined ? undefined : `${docsUrl}${page}`
}
