import type { Logger } from 'pino'

/** The dependencies of {@link createShutdown}. */
export interface ShutdownDeps {
  readonly log: Logger
  /** Ends the process. */
  readonly exit: (code: number) => void
}

/** Decides when and how the process ends. */
export interface Shutdown {
  /** Aborts when the process must shut down. */
  readonly signal: AbortSignal
  /** Starts the shutdown. If a shutdown is in progress already, ends the process at once. */
  onSignal(name: NodeJS.Signals): void
  /** Starts the shutdown after an error from which the process cannot recover. */
  onFatal(error: Error): void
  /** Returns the exit code of a completed shutdown: 1 after a fatal error, otherwise 0. */
  exitCode(): number
}

// Orchestrators usually kill a process 30 s after they ask it to stop.
const maxShutdownMs = 28_000

/** Creates the handler that shuts the process down. If this takes longer than 28 s, the handler ends the process. */
export const createShutdown = ({ log, exit }: ShutdownDeps): Shutdown => {
  const controller = new AbortController()
  const { signal } = controller
  let exitCode = 0

  const start = (): void => {
    setTimeout(() => {
      log.error(`The shutdown took longer than ${maxShutdownMs / 1_000} s; exiting now.`)
      exit(1)
    }, maxShutdownMs)
    controller.abort()
  }

  return {
    signal,
    onSignal: (name) => {
      if (signal.aborted) return exit(1)
      log.info({ signal: name }, 'Shutting down: finishing requests and messages in flight.')
      start()
    },
    onFatal: (error) => {
      log.fatal(error.message)
      exitCode = 1
      if (!signal.aborted) start()
    },
    exitCode: () => exitCode,
  }
}
