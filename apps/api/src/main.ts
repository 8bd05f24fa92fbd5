import { once } from 'node:events'
import { resolve } from 'node:path'
import { startApp } from './app.ts'
import { readConfig } from './config/config.ts'
import { ConfigError } from './config/config-error.ts'
import { isDatabaseUnavailable } from './database/failures.ts'
import { DataFolderInUseError } from './database/lock.ts'
import { DatabaseStartupError } from './database/until-available.ts'
import { createLog } from './log.ts'
import { ProviderFileError } from './providers.ts'
import { DataFolderError } from './shared/data-folder.ts'
import { EncryptionKeyFileError } from './shared/encryption-key-file.ts'
import { fileSystemMessage } from './shared/file-system-error.ts'
import { createShutdown } from './shutdown.ts'
import { startupBanner } from './startup-banner.ts'

/** Prints a message for the operator and ends the process. */
const exitWith = (message: string): never => {
  console.error(`\n${message}\n`)
  process.exit(1)
}

/** Returns the message of an error if an operator can act on it. Returns `undefined` if the error is a defect. */
const operatorMessage = (error: unknown): string | undefined => {
  if (error instanceof ConfigError || error instanceof ProviderFileError) return error.message
  if (error instanceof DataFolderInUseError || error instanceof DataFolderError) return error.message
  if (error instanceof EncryptionKeyFileError || error instanceof DatabaseStartupError) return error.message
  if (isDatabaseUnavailable(error))
    return `The database became unavailable during startup: ${(error as Error).message}. Start the server again.`
  if ((error as NodeJS.ErrnoException | null)?.code === 'EADDRINUSE') return 'Another process uses the port. Set PORT to a free port.'
  return fileSystemMessage(error)
}

const run = async (): Promise<void> => {
  const { config, warnings } = readConfig(process.env)
  const log = createLog({
    level: config.logLevel,
    ...(process.stdout.isTTY ? { destination: (await import('./pretty-log.ts')).createPrettyStream() } : {}),
  })
  for (const warning of warnings) log.warn(warning)
  const { signal, onSignal, onFatal, exitCode } = createShutdown({ log, exit: process.exit })
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)

  try {
    const app = await startApp({ config, log, onFatal, signal })
    console.log(startupBanner({ ...app, config, dataDir: resolve(config.dataDir) }))
    if (!signal.aborted) await once(signal, 'abort')
    await app.close()
  } catch (error) {
    if (!signal.aborted) throw error
    // An `AbortError` means that the signal interrupted startup, which has already closed everything.
    if ((error as Error).name !== 'AbortError') {
      log.error({ err: error }, 'Shutdown failed.')
      process.exit(1)
    }
  }
  process.exit(exitCode())
}

run().catch((error: unknown) => {
  const message = operatorMessage(error)
  if (message === undefined) throw error
  exitWith(message)
})
