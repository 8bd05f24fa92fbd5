import { lockDataFolder } from '../database/lock.ts'

/**
 * Holds the data folder's lock during `work`. Meanwhile, rejects the operator commands that other processes send, which would
 * otherwise wait until their timeout.
 * @throws DataFolderInUseError when another process holds the data folder.
 */
export const withDataFolderLock = async <T>(dataDir: string, work: () => Promise<T>): Promise<T> => {
  const lock = await lockDataFolder(dataDir)
  lock.serve(async () => ({ error: 'Another operator command is running. Try again in a moment.' }))
  try {
    return await work()
  } finally {
    await lock.release()
  }
}
