import type { Command } from '@commander-js/extra-typings'
import { createFlowpost, type Flowpost } from '@flowpost/client'
import type { Command as PlainCommand } from 'commander'
import { createEnvironmentsFile, type EnvironmentsFile } from './environments/environments-file.ts'
import { describeKey, readKeyFacts } from './environments/key-facts.ts'
import { readOverride } from './environments/override.ts'
import { type SelectedEnvironment, selectEnvironment } from './environments/select-environment.ts'
import type { Io } from './io.ts'
import type { Output } from './output/output.ts'
import { toSafeLine } from './output/terminal-text.ts'

/** The options that every command has. */
export interface GlobalOptions {
  readonly env?: string | undefined
  readonly json?: boolean | undefined
  /** The time limit of each API call, including its retries, in milliseconds. */
  readonly timeout?: number | undefined
}

/** The selected environment and a client for its server. */
export interface Connection {
  readonly flowpost: Flowpost
  readonly environment: SelectedEnvironment
}

/** The dependencies of a command. */
export interface CommandContext {
  readonly io: Io
  readonly output: Output
  readonly options: GlobalOptions
  readonly environmentsFile: EnvironmentsFile
  /**
   * Returns the selected environment and a client for its server. The first call also prints the server's URL and a
   * description of the key.
   */
  connect(): Promise<Connection>
  /** Returns a client for the given environment. */
  createClient(environment: { readonly baseUrl: string; readonly apiKey: string }, options?: { readonly maxRetries?: number }): Flowpost
  /** Loads the module of `command`, and adds the arguments and options to `command` for shell completion. */
  defineCommand(command: PlainCommand): Promise<void>
  /** Sets the exit code of a command that ran to completion: 1 if the result is a failure, 2 if there are differences. */
  setExitCode(code: 1 | 2): void
  /** Delays the program's exit after Ctrl-C until `work` settles. A second Ctrl-C exits immediately. */
  waitBeforeExit(work: Promise<unknown>): void
  /** Ends the command when its output pipe closes, for example because `head` has exited. For commands that run until Ctrl-C. */
  endWithReader(): void
}

/** The functions of a {@link CommandContext} that affect the whole process. `main` provides them. */
export type ProgramHooks = Pick<CommandContext, 'setExitCode' | 'waitBeforeExit' | 'endWithReader'>

/** Adds a command's arguments, options and action to its parser. */
export type DefineCommand = (command: Command, context: CommandContext) => void

/**
 * Time limit of an API call with its retries, in milliseconds. The SDK's default, one minute, is too long for someone
 * waiting at a terminal.
 */
const defaultTimeoutMs = 30_000

/** Describes the selected environment in one line, without its key's secret. */
const describeEnvironment = ({ baseUrl, apiKey, source }: SelectedEnvironment): string =>
  `${toSafeLine(baseUrl)}, ${toSafeLine(describeKey(readKeyFacts(apiKey)))}, from ${toSafeLine(source)}`

/** Creates a command's dependencies. */
export const createContext = (
  io: Io,
  output: Output,
  options: GlobalOptions,
  hooks: ProgramHooks & Pick<CommandContext, 'defineCommand'>,
): CommandContext => {
  const environmentsFile = createEnvironmentsFile(io)
  const createClient: CommandContext['createClient'] = ({ baseUrl, apiKey }, { maxRetries } = {}) =>
    createFlowpost({ baseUrl, apiKey, fetch: io.fetch, timeout: options.timeout ?? defaultTimeoutMs, maxRetries })
  let connection: Promise<Connection> | undefined
  const open = async (): Promise<Connection> => {
    const environment = await selectEnvironment(options.env, {
      readEnvironments: environmentsFile.read,
      readOverride: () => readOverride(io),
    })
    if (environment.name !== undefined) {
      const warning = await environmentsFile.permissionWarning()
      if (warning !== undefined) output.warn(warning)
    }
    output.note(describeEnvironment(environment))
    return { environment, flowpost: createClient(environment) }
  }
  return {
    io,
    output,
    options,
    environmentsFile,
    createClient,
    ...hooks,
    connect: () => {
      connection ??= open()
      return connection
    },
  }
}
