/** An error whose message is written for the user of the command, such as a wrong argument. */
export class CliError extends Error {
  override readonly name = 'CliError'
  /** An action that solves it. */
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}
