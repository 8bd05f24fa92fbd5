import type { Logger } from 'pino'
import type { App } from './app.ts'

/** What a shutdown uses. */
export interface ShutdownDeps {
  readonly log: Pick<Logger, 'info' | 'error' | 'fatal'>
  /** Returns the application; `undefined` during the start, when nothing is under way. */
  readonly app: () => Pick<App, 'close'> | undefined
  readonly exit: (code: number) => void
}

/** Ends the process in order. */
export interface Shutdown {
  /** Closes the application, then exits with 0. The second signal exits at once: whoever sends it does not want to wait. */
  onSignal(signal: NodeJS.Signals): void
  /** Logs why the process cannot go on, closes the application, then exits with 1. */
  onFatal(error: Error): void
}

/** How long closing may take, in milliseconds: less than the 30 s after which orchestrators usually kill. */
export const maxShutdownMs = 28_000

/** Creates the shutdown of a process. It exits after {@link maxShutdownMs} whatever still hangs then. */
export const createShutdown = ({ log, app, exit }: ShutdownDeps): Shutdown => {
  let closing = false

  const shutDown = (exitCode: number): void => {
    const open = app()
    if (closing || !open) {
      exit(closing ? 1 : exitCode)
      return
    }
    closing = true
    setTimeout(() => {
      log.error(`The shutdown took longer than ${maxShutdownMs / 1_000} s; the process ends now.`)
      exit(1)
    }, maxShutdownMs)
    open.close().then(
      () => exit(exitCode),
      (error: unknown) => {
        log.error({ err: error }, 'Shutdown failed.')
        exit(1)
      },
    )
  }

  return {
    onSignal: (signal) => {
      log.info({ signal }, 'Shutting down: finishing what is on its way.')
      shutDown(0)
    },
    onFatal: (error) => {
      log.fatal(error.message)
      if (!closing) shutDown(1)
    },
  }
}
