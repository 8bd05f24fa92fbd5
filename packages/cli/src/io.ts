import type { CliError } from './cli-error.ts'

/** A stream that the program reads. */
export type InputStream = AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean | undefined }

/** A stream that the program writes to. */
export interface OutputStream {
  readonly isTTY?: boolean | undefined
  /** The width of the terminal in columns. */
  readonly columns?: number | undefined
  write(text: string): unknown
}

/** A write to standard output or standard error that failed. */
export interface OutputFailure {
  /** Says which stream failed, and why. */
  readonly error: CliError
  /** Whether the reader closed the pipe. */
  readonly isReaderGone: boolean
}

/** The program's access to its environment. Tests pass their own implementation. */
export interface Io {
  readonly stdin: InputStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly homeFolder: string
  readonly workingFolder: string
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number
  /** Aborted by Ctrl-C, SIGHUP or SIGTERM. */
  readonly signal: AbortSignal
  /**
   * Aborted when output cannot be written, for example because the reader closed the pipe. In `flowpost apply | head -n 1`,
   * `head` closes the pipe early: the program then completes its work, but loses its remaining output. @default never aborted
   */
  readonly outputClosed?: AbortSignal | undefined
  /** Waits until the output is written. Returns the failure if any output could not be written. @default nothing failed */
  readonly flush?: () => Promise<OutputFailure | undefined>
  readonly fetch: typeof globalThis.fetch
  readonly prompts: Prompts
}

/** Interactive prompts at a terminal. */
export interface Prompts {
  /** Asks for a secret without showing it. Resolves to `undefined` if the person cancels. */
  secret(question: string): Promise<string | undefined>
  /** Asks for a line of text. Resolves to `undefined` if the person cancels. */
  text(question: string, placeholder: string): Promise<string | undefined>
  /** Asks a yes-or-no question. The default answer is no. */
  confirm(question: string): Promise<boolean>
}
