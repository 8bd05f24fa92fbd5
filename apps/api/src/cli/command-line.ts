import type { Logger } from 'pino'
import { BackupError } from '../backup/backup-error.ts'
import { ConfigError } from '../config/config-error.ts'
import { EmbeddedDatabaseLostError, firstCodeOf, isDatabaseUnavailable } from '../database/failures.ts'
import { DataFolderInUseError } from '../database/lock.ts'
import { DatabaseStartupError } from '../database/until-available.ts'
import { createLog } from '../log.ts'
import { DataFolderError } from '../shared/data-folder.ts'
import { EncryptionKeyFileError } from '../shared/encryption-key-file.ts'
import { fileSystemMessage } from '../shared/file-system-error.ts'

/** The exit codes of operator commands. */
export const exitCodes = { ok: 0, failed: 1, misused: 2 } as const

/** A command's arguments, environment and output. */
export interface CommandLine {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Prints lines to standard output. */
  print(text: string): void
  /** Prints lines to standard error. */
  printError(text: string): void
}

/** A command-line program. Returns its exit code. */
export type CommandProgram = (line: CommandLine) => Promise<number>

/** Creates the log of a command. It writes warnings to standard error. */
export const createCommandLog = ({ printError }: CommandLine): Logger =>
  createLog({ level: 'warn', destination: { write: (text) => printError(text.trimEnd()) } })

// PostgreSQL's error code `disk_full`.
const diskFull = '53100'

/** Returns the message of an error if an operator can act on it. Returns `undefined` if the error is a defect. */
const operatorMessage = (error: unknown): string | undefined => {
  if (error instanceof ConfigError || error instanceof DataFolderInUseError || error instanceof EncryptionKeyFileError) return error.message
  if (error instanceof DatabaseStartupError || error instanceof BackupError || error instanceof DataFolderError) return error.message
  if (error instanceof EmbeddedDatabaseLostError) return error.message
  if (firstCodeOf(error) === diskFull) return `The disk of the database is full: ${(error as Error).message}`
  if (isDatabaseUnavailable(error)) return 'The database at DATABASE_URL cannot be reached.'
  return fileSystemMessage(error)
}

/** Runs a program and returns its exit code. Expected errors are printed without a stack trace. */
export const runProgram = async (program: CommandProgram, line: CommandLine): Promise<number> => {
  try {
    return await program(line)
  } catch (error) {
    const message = operatorMessage(error)
    if (message === undefined) throw error
    line.printError(message)
    return exitCodes.failed
  }
}

/** Runs a program with this process's arguments and environment, and sets the process's exit code. */
export const runInProcess = async (program: CommandProgram): Promise<void> => {
  let isOutputLost = false
  // Without these listeners, the second write that fails would end the process, for example between two migrations, and a new key
  // could be lost although the exit code is 0.
  process.stdout.on('error', ({ message }) => {
    if (!isOutputLost) console.error(`Standard output cannot be written: ${message}. If a new key was created but not shown, revoke it.`)
    isOutputLost = true
    process.exitCode = exitCodes.failed
  })
  process.stderr.on('error', () => {})
  const line: CommandLine = { args: process.argv.slice(2), env: process.env, print: console.log, printError: console.error }
  // Sets the exit code instead of calling `process.exit`, which could cut off output to a pipe.
  const code = await runProgram(program, line)
  process.exitCode = isOutputLost ? exitCodes.failed : code
}
