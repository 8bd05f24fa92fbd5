import { open, rm, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from '../cli-error.ts'

/** A lock file older than this, in milliseconds, belongs to a process that ended without deleting it. */
const staleMs = 5_000
const retryMs = 20
const maxRetries = 500

/**
 * Creates a lock file, runs `work`, and deletes the lock file. Waits while another process has the lock. Deletes a lock file
 * that is older than five seconds, because a crash has probably left it behind. `work` must therefore take much less time.
 *
 * @throws {CliError} When the lock file still exists after ten seconds.
 */
export const withFileLock = async <Result>(path: string, now: () => number, work: () => Promise<Result>): Promise<Result> => {
  for (let retries = 0; ; retries++) {
    try {
      // `wx` fails if the file exists.
      await (await open(path, 'wx', 0o600)).close()
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      if (retries === maxRetries) throw new CliError(`${path} is locked by another process.`, 'If no other command is running, delete it.')
    }
    const created = await stat(path).catch(() => undefined)
    if (created !== undefined && now() - created.mtimeMs > staleMs) await rm(path, { force: true })
    else await sleep(retryMs)
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}
