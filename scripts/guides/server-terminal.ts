import type { Machine } from './machine.ts'
import { type Program, startProgram } from './program.ts'

/** The address of the server in all guides. */
export const serverUrl = 'http://localhost:3000'

/** The terminal in which the reader starts the server. Its working folder is the repository. */
export interface ServerTerminal extends AsyncDisposable {
  /** The output of the server that was started last. */
  readonly output: string
  /**
   * Stops the running server with Ctrl-C, runs the commands that start a new one, and waits until it is ready.
   * @param variables Environment variables that the reader has already set, such as `DATABASE_URL`.
   */
  start(commands: string, variables?: Readonly<Record<string, string>>): Promise<void>
  /** Waits until the server's output matches the pattern. Returns the match. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>
  stop(): Promise<void>
}

const isReady = () =>
  fetch(`${serverUrl}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

/** Opens the terminal. Servers that run in it send messages to the stand-ins instead of the real providers. */
export const openServerTerminal = ({ repository, env, standIns }: Machine): ServerTerminal => {
  let program: Program | undefined
  const stop = async () => program?.stop()
  return {
    get output() {
      return program?.output ?? ''
    },
    start: async (commands, variables = {}) => {
      await stop()
      if (await isReady()) throw new Error(`Another server runs at ${serverUrl}.`)
      program = startProgram(commands, repository, { ...env, ...standIns.env, ...variables })
      await program.waitUntil(isReady)
    },
    waitForOutput: async (pattern) => {
      await program?.waitUntil(() => pattern.test(program?.output ?? ''))
      const match = pattern.exec(program?.output ?? '')
      if (match === null) throw new Error('No server was started in this terminal.')
      return match
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
