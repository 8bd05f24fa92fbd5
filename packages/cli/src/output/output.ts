import type { Io } from '../io.ts'
import { createPaint, type Paint } from './colors.ts'
import { type Progress, startProgress } from './progress.ts'
import { formatTable } from './table.ts'
import { toSafeJson } from './terminal-text.ts'

/** A command's output. Text from a server must pass through `toSafeLine` or `toSafeText` first. */
export interface Output {
  readonly isJson: boolean
  /** Styles text for standard output. */
  readonly paint: Paint
  /** The terminal's width in columns, or `Infinity` if the output is not a terminal. */
  readonly columns: number
  /** Prints a line of the result, unless the output is JSON. */
  print(line?: string): void
  /** Prints rows as aligned columns under a heading, unless the output is JSON. */
  printTable(heading: readonly string[], rows: readonly (readonly string[])[]): void
  /** Prints an indented JSON document if the output is JSON. */
  printJson(value: unknown): void
  /** Prints a value as one line of JSON if the output is JSON. Use this method for results that arrive over time. */
  printJsonLine(value: unknown): void
  /** Prints an informational line to standard error, unless the output is JSON. */
  note(line: string): void
  /** Prints a warning to standard error. */
  warn(line: string): void
  /** Waits until the output is written, and prints a warning if it could not be written. For secrets that are shown only once. */
  warnIfLost(line: string): Promise<void>
  /** Shows progress on standard error while `work` runs. */
  withProgress<T>(text: string, work: (progress: Progress) => Promise<T>): Promise<T>
}

/** Creates a command's output. */
export const createOutput = ({ stdout, stderr, env, flush }: Io, isJson: boolean): Output => {
  const paint = createPaint(stdout, env)
  const paintError = createPaint(stderr, env)
  let active: Progress | undefined
  const write = (stream: typeof stdout, line: string) => {
    active?.pause()
    stream.write(`${line}\n`)
  }
  const print = (line = '') => {
    if (!isJson) write(stdout, line)
  }
  const warn = (line: string) => write(stderr, `${paintError('yellow', 'Warning:')} ${line}`)
  return {
    isJson,
    paint,
    columns: stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY,
    print,
    printTable: (heading, rows) => {
      for (const [index, line] of formatTable([heading, ...rows]).entries()) print(index === 0 ? paint('dim', line) : line)
    },
    printJson: (value) => {
      if (isJson) write(stdout, toSafeJson(value, 2))
    },
    printJsonLine: (value) => {
      if (isJson) write(stdout, toSafeJson(value))
    },
    note: (line) => {
      if (!isJson) write(stderr, paintError('dim', line))
    },
    warn,
    warnIfLost: async (line) => {
      if (await flush?.()) warn(line)
    },
    withProgress: async (text, work) => {
      const outer = active
      outer?.pause()
      const progress = startProgress(stderr, text, !isJson)
      active = progress
      try {
        return await work(progress)
      } finally {
        progress.stop()
        active = outer
      }
    },
  }
}
