import { statSync, unlinkSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerOwnerProtocol, askOwner, type RunCommand } from './owner-protocol.ts'

/** Thrown when another process holds the data folder. */
export class DataFolderInUseError extends Error {
  constructor(dataDir: string, owner: string) {
    super(
      `The data folder ${dataDir} is in use by ${owner}. Stop that one first, or give this one a folder of its own with FLOWPOST_DATA_DIR.`,
    )
    this.name = 'DataFolderInUseError'
  }
}

/** A held data folder. */
export interface DataFolderLock {
  /** Begins to carry out what operators ask of this process; commands that came before wait until then. */
  serve(run: RunCommand): void
  release(): Promise<void>
}

// Long enough for a rival that found the same dead socket to have replaced ours, if it ever will.
const settleMs = 50
const longestSocketPath = 100

const listen = (server: Server, path: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error)))
    // Only the owner of the folder may talk to it; the umask is set around the bind, which is synchronous.
    const umask = process.umask(0o177)
    server.listen(path, () => resolve(true))
    process.umask(umask)
  })

/** Where the process that holds a data folder listens. */
export const socketPath = (dataDir: string): string => join(dataDir, 'flowpost.sock')

/** Which socket is at a path. An inode's number alone would not do: file systems give it to the next file at once. */
const identityOf = (path: string): string | undefined => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}:${found.birthtimeNs}:${found.ctimeNs}`
}

/**
 * Takes the data folder for this process alone, by listening on a unix socket in it. A process that
 * died cannot hold it: its socket refuses connections and is replaced, whatever its process id is now.
 * @throws DataFolderInUseError when a living process holds the folder.
 */
export const lockDataFolder = async (dataDir: string): Promise<DataFolderLock> => {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const path = socketPath(dataDir)
  if (Buffer.byteLength(path) > longestSocketPath)
    throw new Error(`The path of the data folder is too long for a socket (${path}). Choose a shorter FLOWPOST_DATA_DIR.`)
  const commands = Promise.withResolvers<RunCommand>()
  for (;;) {
    const connections = new Set<Socket>()
    const server = createServer((socket) => {
      connections.add(socket)
      socket.on('close', () => connections.delete(socket))
      answerOwnerProtocol(socket, commands.promise)
    })
    server.unref()
    if (await listen(server, path)) {
      const own = identityOf(path)
      await sleep(settleMs)
      if (own !== undefined && identityOf(path) === own) return { serve: commands.resolve, release: () => close(server, connections) }
      // Lost to a rival. Closing would remove the rival's socket, which has our path by now, so ours is left to the exit.
      continue
    }
    const found = identityOf(path)
    const owner = await askOwner(path)
    if (owner !== undefined) throw new DataFolderInUseError(dataDir, owner)
    // Remove exactly the dead socket that was asked, not one that a rival has made meanwhile.
    if (found !== undefined && identityOf(path) === found) unlinkSync(path)
  }
}

const close = (server: Server, connections: ReadonlySet<Socket>): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    for (const each of connections) each.destroy()
  })
