import { randomBytes } from 'node:crypto'
import { cpSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ModelTarget } from '@flowpost/testing/conformance/model'
import { databaseFolder } from '../../../apps/api/test/support/database-folder.ts'
import { createFetchFromAnywhere } from '../../../apps/api/test/support/model-environment.ts'
import type { Mutant } from '../mutant.ts'
import { type RunningProgram, startProgram } from './child-process.ts'

const program = new URL('../../../apps/api/bin/flowpost.js', import.meta.url)
const readyLine = /ready on http:\/\/localhost:(\d+)/

const modelUserCount = 16
const createKey = (): string => `fp_${randomBytes(24).toString('base64url')}`

/** The API keys of all servers of this run. */
export const keys = { alice: createKey(), bob: createKey() }

/** The keys of users without resources, for comparisons with the mock. */
const modelKeys = Array.from({ length: modelUserCount }, createKey)

const bootstrapKeys = Object.entries({ ...keys, ...Object.fromEntries(modelKeys.map((key, index) => [`model${index}`, key])) })
  .map(([user, key]) => `${user}:${key}`)
  .join(',')

/** A server process with its URL. */
export type ServerProcess = RunningProgram<string> & { readonly url: string }

const createDataFolder = async (): Promise<string> => mkdtemp(join(await databaseFolder(), 'flowpost-mutants-'))

const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true })

const startOn = (dataDir: string, mutant: Mutant | undefined, environment: Readonly<Record<string, string>>) =>
  startProgram<string>({
    program,
    mutant,
    environment: { PORT: '0', LOG_LEVEL: 'fatal', FLOWPOST_DATA_DIR: dataDir, FLOWPOST_BOOTSTRAP_KEYS: bootstrapKeys, ...environment },
    findReady: (output) => {
      const port = readyLine.exec(output)?.[1]
      return port && `http://127.0.0.1:${port}`
    },
  })

/** A data folder with the tables and the API keys. Servers that start on a copy of the folder need not run the migrations. */
export interface DataTemplate extends AsyncDisposable {
  /** Starts a server on a copy of the folder. */
  readonly startServer: (mutant: Mutant | undefined, environment: Readonly<Record<string, string>>) => Promise<ServerProcess>
}

/** Creates the data folder. Every server starts on a copy of it. */
export const createDataTemplate = async (environment: Readonly<Record<string, string>>): Promise<DataTemplate> => {
  const template = await createDataFolder()
  const starting = new Set<Promise<ServerProcess>>()
  let isDisposed = false
  const first = await startOn(template, undefined, environment)
  await first.stop()

  const startOnCopy = async (mutant: Mutant | undefined, serverEnvironment: Readonly<Record<string, string>>): Promise<ServerProcess> => {
    const dataDir = await createDataFolder()
    try {
      // Copies synchronously, because an asynchronous copy of a thousand files takes ten times as long.
      cpSync(template, dataDir, { recursive: true })
      // Without FLOWPOST_AFTER_RESTORE, the server treats the copy as a restored database and sends nothing.
      const server = await startOn(dataDir, mutant, { ...environment, FLOWPOST_AFTER_RESTORE: 'send', ...serverEnvironment })
      const end = (finish: () => Promise<void>) => finish().then(() => removeFolder(dataDir))
      return { ...server, url: server.ready, kill: () => end(server.kill), stop: () => end(server.stop) }
    } catch (error) {
      await removeFolder(dataDir)
      throw error
    }
  }

  return {
    startServer: (mutant, serverEnvironment) => {
      // After disposal, nothing would remove the data folder of a new server.
      if (isDisposed) return Promise.reject(new Error('The run has ended, so no server can start.'))
      const server = startOnCopy(mutant, serverEnvironment)
      starting.add(server)
      return server
    },
    [Symbol.asyncDispose]: async () => {
      isDisposed = true
      for (const result of await Promise.allSettled(starting)) if (result.status === 'fulfilled') await result.value.kill()
      await removeFolder(template)
    },
  }
}

let nextUser = 0

/** Returns a target with a different user for each call, because a comparison must start with a user who has no resources. */
export const serverModelTarget = (url: string): ModelTarget => {
  nextUser += 1
  const apiKey = modelKeys[nextUser % modelUserCount] ?? ''
  return { name: 'server', baseUrl: url, apiKey, fetch: createFetchFromAnywhere(), tick: () => sleep(2), mayDeliver: true }
}
