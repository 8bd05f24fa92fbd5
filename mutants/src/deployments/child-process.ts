import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Mutant } from '../mutant.ts'

const hook = new URL('../programs/mutate.ts', import.meta.url).href
const startTimeoutMs = 60_000
const maxOutputCharacters = 4_000

/** A program that runs in a child process, with a mutant applied if one is given. */
export interface RunningProgram<Ready> {
  /** The value that the program announced when it was ready. */
  readonly ready: Ready
  /** Returns whether the program has loaded the file that the mutant changes. */
  readonly hasLoaded: () => boolean
  /** Sends a message to the program. Resolves with the program's next message. */
  readonly request: (message: object) => Promise<unknown>
  /** Ends the process at once. */
  readonly kill: () => Promise<void>
  /** Asks the process to end, and waits until it has ended. */
  readonly stop: () => Promise<void>
}

/** The options of {@link startProgram}. */
export interface ProgramOptions<Ready> {
  /** The file to run. */
  readonly program: URL
  readonly mutant?: Mutant | undefined
  readonly environment?: Readonly<Record<string, string>>
  /** Returns the value of `ready` if the output so far, or the latest message, contains it; otherwise `undefined`. */
  readonly findReady: (output: string, message: unknown) => Ready | undefined
}

const waitForExit = async (child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

const isLoaded = (message: unknown): boolean => typeof message === 'object' && message !== null && 'loaded' in message

const sendRequest = (child: ChildProcess, message: object): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const stopWaiting = () => {
      child.off('message', onMessage)
      child.off('exit', onExit)
    }
    const onMessage = (reply: unknown) => {
      if (isLoaded(reply)) return
      stopWaiting()
      resolve(reply)
    }
    const onExit = () => {
      stopWaiting()
      reject(new Error('The program exited before it replied.'))
    }
    child.on('message', onMessage)
    child.on('exit', onExit)
    child.send(message, (error) => error && onExit())
  })

/**
 * Starts a program and waits until it is ready.
 *
 * @throws {Error} if the program exits first, or is not ready within a minute. The error contains the program's output.
 */
export const startProgram = async <Ready>(options: ProgramOptions<Ready>): Promise<RunningProgram<Ready>> => {
  const { program, mutant, environment = {}, findReady } = options
  const child = spawn(process.execPath, [`--import=${hook}`, fileURLToPath(program)], {
    // The program does not inherit the whole environment, because a developer's FLOWPOST_* variable must not change the result.
    env: {
      PATH: process.env['PATH'],
      ...environment,
      ...(mutant === undefined ? {} : { MUTANT: JSON.stringify(mutant) }),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const ready = Promise.withResolvers<Ready>()
  let output = ''
  let loaded = false
  const resolveIfReady = (message?: unknown) => {
    const value = findReady(output, message)
    if (value !== undefined) ready.resolve(value)
  }
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-maxOutputCharacters)
    resolveIfReady()
  }
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  child.on('message', (message) => {
    if (isLoaded(message)) loaded = true
    else resolveIfReady(message)
  })
  child.on('error', ready.reject)
  child.on('exit', (code, signal) => ready.reject(new Error(`The program exited with ${code ?? signal}:\n${output}`)))
  const timer = setTimeout(() => ready.reject(new Error(`The program was not ready in time:\n${output}`)), startTimeoutMs)
  try {
    return {
      ready: await ready.promise,
      hasLoaded: () => loaded,
      request: (message) => sendRequest(child, message),
      kill: () => waitForExit(child, 'SIGKILL'),
      stop: () => waitForExit(child, 'SIGTERM'),
    }
  } catch (error) {
    await waitForExit(child, 'SIGKILL')
    throw error
  } finally {
    clearTimeout(timer)
  }
}
