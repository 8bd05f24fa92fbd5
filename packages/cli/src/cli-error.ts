/** An error with a message for the command's user, such as an invalid argument. */
export class CliError extends Error {
  override readonly name = 'CliError'
  /** An action that resolves the error. */
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}
