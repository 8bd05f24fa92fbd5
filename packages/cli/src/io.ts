/** A stream that the program reads. */
export type InputStream = AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean | undefined }

/** A stream that the program writes to. */
export interface OutputStream {
  readonly isTTY?: boolean | undefined
  /** The width of the terminal in columns. */
  readonly columns?: number | undefined
  write(text: string): unknown
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
  /** Aborted when output cannot be written, for example because the reader closed the pipe. @default never aborted */
  readonly outputClosed?: AbortSignal | undefined
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
