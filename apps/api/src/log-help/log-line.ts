/** A log line that the documentation explains to operators. */
export interface LogLine {
  /** The stable anchor of the line in the documentation. */
  readonly id: string
  readonly level: 'info' | 'warn' | 'error' | 'fatal'
  /** The message. `…` stands for a part that varies. */
  readonly message: string
  /** The event that causes the line, in Markdown. */
  readonly cause: string
  /** Instructions for the operator, in Markdown. */
  readonly remedy: string
}
