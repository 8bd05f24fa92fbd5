import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

const memoryFolder = '/dev/shm'
const minFreeBytes = 4 * 1024 ** 3

/**
 * Returns the folder for test databases: an in-memory file system if it has enough space, otherwise the temporary folder. The
 * suite creates hundreds of databases of 40 MB.
 */
export const databaseFolder = async (): Promise<string> => {
  const freeBytes = await statfs(memoryFolder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return freeBytes >= minFreeBytes ? memoryFolder : tmpdir()
}
