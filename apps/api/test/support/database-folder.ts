import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

const inMemory = '/dev/shm'
const enoughBytes = 4 * 1024 ** 3

/**
 * Where tests put their databases: in memory where the machine has such a file system with room, as Linux does outside of
 * most containers. Each is 40 MB, there are hundreds, and none has to outlive the machine.
 */
export const databaseFolder = async (): Promise<string> => {
  const room = await statfs(inMemory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return room >= enoughBytes ? inMemory : tmpdir()
}
