import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { explain, type Flowpost } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import type { Io } from '../io.ts'
import type { Output } from '../output/output.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { handOverSecrets, warnIfSecretsLost } from '../settings/created-secrets.ts'
import { defaultConfigName, findConfigFiles } from '../settings/load-config.ts'
import { countChanges, printWarnings, realChanges } from '../settings/print-changes.ts'
import { applyDevConfig } from './apply-dev-config.ts'
import { watchFiles } from './watch-files.ts'

interface FollowOptions {
  readonly file: string | undefined
  readonly flowpost: Flowpost
  readonly io: Io
  readonly output: Output
}

const messageOf = (error: unknown): string => (error instanceof CliError ? error.message : (explain(error).split('\n')[0] ?? ''))

/** Adds the names to the set, and returns those that it did not contain. */
const addNew = (reported: Set<string>, names: readonly string[]): readonly string[] => {
  const added = names.filter((name) => !reported.has(name))
  for (const name of added) reported.add(name)
  return added
}

/**
 * Applies the config file, if it exists, and applies it again after each change to a file in its folder. Stops when
 * `io.signal` aborts.
 */
export const followConfig = async ({ file, flowpost, io, output }: FollowOptions): Promise<void> => {
  const findPath = () => (file === undefined ? findConfigFiles(io.workingFolder)[0] : resolve(io.workingFolder, file))
  let isFirst = true
  let wasRejected = false
  const reportedOmitted = new Set<string>()
  const reportedDetached = new Set<string>()
  const apply = async (): Promise<void> => {
    const path = findPath()
    if (path === undefined || !existsSync(path)) {
      if (isFirst) output.print(`There is no config file yet. ${file ?? defaultConfigName} is applied as soon as it exists.`)
      return
    }
    try {
      const applied = await applyDevConfig(file, { flowpost, io })
      const { projectKey, project_id, warnings, omitted, detached } = applied
      const changes = realChanges(applied)
      // After an error, prints the result even if nothing changed, to show the user that the file is valid again.
      if (changes.length > 0 || isFirst || wasRejected) {
        output.print(`Applied ${toSafeLine(path)} to the project ${projectKey}: ${countChanges(changes, true)}`)
        const secrets = Object.fromEntries(changes.flatMap(({ key, secret }) => (secret === undefined ? [] : [[key, secret]])))
        output.printJsonLine({
          event: 'applied',
          path,
          project_key: projectKey,
          project_id,
          changes: changes.length,
          warnings,
          omitted,
          detached_endpoints: detached,
          secrets,
        })
        printWarnings(output, warnings)
        await handOverSecrets(output, changes, undefined)
        await warnIfSecretsLost(output, changes)
      }
      const newlyOmitted = addNew(reportedOmitted, omitted)
      if (newlyOmitted.length > 0)
        output.note(
          `These integrations were skipped, because environment variables for their secrets are not set: ${newlyOmitted.join(', ')}. The local server does not need them: it captures every message instead of sending it.`,
        )
      const newlyDetached = addNew(reportedDetached, detached)
      if (newlyDetached.length > 0)
        output.note(
          `The local server ignores the URLs of these event endpoints, so that no event leaves this machine: ${newlyDetached.join(', ')}. Read the events with: flowpost events tail`,
        )
      wasRejected = false
    } catch (error) {
      if (io.signal.aborted) return
      wasRejected = true
      const message = toSafeLine(messageOf(error))
      if (output.isJson) output.printJsonLine({ event: 'rejected', path, message })
      else output.warn(message)
    }
  }
  let queue = Promise.resolve()
  const warnNotWatched = (error: unknown) => output.warn(`Cannot watch the config file: ${(error as Error).message}`)
  // Starts to watch before the first apply, so that a change saved during that apply is not missed.
  try {
    const onChange = () => {
      queue = queue.then(apply)
    }
    const watcher = watchFiles(dirname(findPath() ?? resolve(io.workingFolder, defaultConfigName)), onChange, warnNotWatched)
    io.signal.addEventListener('abort', () => watcher.close(), { once: true })
  } catch (error) {
    warnNotWatched(error)
  }
  queue = apply().then(() => {
    isFirst = false
  })
  await queue
}
