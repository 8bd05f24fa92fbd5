import { resolve } from 'node:path'
import { startApp } from './app.ts'
import { ConfigError, readConfig } from './config.ts'
import { DataFolderInUseError } from './database/lock.ts'
import { ProviderFileError } from './load-providers.ts'
import { createLog } from './log.ts'
import { EncryptionKeyFileError } from './shared/encryption-key-file.ts'
import { startupBanner } from './startup-banner.ts'

/** Ends the process with a message in plain words, for faults that an operator can mend. */
const exitWith = (message: string): never => {
  console.error(`\n${message}\n`)
  process.exit(1)
}

const plainWords = (error: unknown): string | undefined => {
  if (error instanceof ConfigError || error instanceof ProviderFileError) return error.message
  if (error instanceof DataFolderInUseError || error instanceof EncryptionKeyFileError) return error.message
  if (error instanceof TypeError) return error.message
  const code = (error as NodeJS.ErrnoException | null)?.code
  if (code === 'EADDRINUSE') return 'The port is taken by another process. Choose another one with PORT.'
  if (code === 'EACCES' || code === 'EROFS') return `The server may not use what it needs: ${(error as Error).message}`
  return undefined
}

const start = async (): Promise<void> => {
  const { config, warnings } = readConfig(process.env)
  const log = createLog({ level: config.logLevel })
  for (const warning of warnings) log.warn(warning)
  const app = await startApp({ config, log })
  console.log(startupBanner({ ...app, config, dataDir: resolve(config.dataDir) }))

  let closing = false
  const shutDown = (signal: NodeJS.Signals): void => {
    // Whoever asks a second time does not want to wait.
    if (closing) process.exit(1)
    closing = true
    log.info({ signal }, 'Shutting down: finishing what is on its way.')
    app.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'The shutdown did not go well.')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', shutDown)
  process.on('SIGINT', shutDown)
}

start().catch((error: unknown) => {
  const message = plainWords(error)
  if (message === undefined) throw error
  exitWith(message)
})
