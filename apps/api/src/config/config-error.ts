/** Thrown when environment variables are invalid. The message lists every issue and contains no secrets. */
export class ConfigError extends Error {
  readonly issues: readonly string[]

  constructor(issues: readonly string[]) {
    super(
      `Invalid configuration (${issues.length} ${issues.length === 1 ? 'issue' : 'issues'}):\n${issues.map((issue) => `  ${issue}`).join('\n')}`,
    )
    this.name = 'ConfigError'
    this.issues = issues
  }
}
