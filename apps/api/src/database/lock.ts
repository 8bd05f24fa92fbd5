import { randomBytes } from 'node:crypto'
import { linkSync, renameSync, rmSync, statSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { adviceOn, isContender, type RunCommand, readGreeting, serveConnection } from './control-socket.ts'
import { DatabaseStartupError } from './until-available.ts'

/** Thrown when another process holds the data folder, or keeps trying to lock it. */
export class DataFolderInUseError extends Error {
  constructor(dataDir: string, owner: string) {
    super(
      `The data folder ${dataDir} is in use by ${owner}. Stop that process, or set FLOWPOST_DATA_DIR to another folder.${adviceOn(owner)}`,
    )
    this.name = 'DataFolderInUseError'
  }
}

/** The lock that this process holds on a data folder. */
export interface DataFolderLock {
  /** Sets the function that runs operator commands. Commands that arrive earlier wait until the function is set. */
  serve(run: RunCommand): void
  /** Releases the folder and closes the control socket. */
  release(): Promise<void>
}

const maxSocketPathBytes = 100
const asideName = /^flowpost\.[0-9a-f]{6}\.old$/
// If another process is also trying to lock the folder, this process pauses before it tries again. The pause is short, because
// the other process usually gets the lock or fails within a few milliseconds.
const contenderPauseMs = 10
const maxContenderMs = 5_000

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    // Only the folder's owner may access the socket. `listen` creates the socket file synchronously, so the umask can be restored
    // right after the call.
    const umask = process.umask(0o177)
    server.listen(path, resolve)
    process.umask(umask)
  })

/** Returns the path of a data folder's control socket. */
export const socketPath = (dataDir: string): string => join(dataDir, 'flowpost.sock')

const inodeOf = (path: string): bigint | undefined => statSync(path, { bigint: true, throwIfNoEntry: false })?.ino

/** Runs a file operation. Returns `false` if the operation fails with `code`, which means that another process was faster. */
const succeeds = (code: 'EEXIST' | 'ENOENT', operation: () => void): boolean => {
  try {
    operation()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false
    throw error
  }
}

const newName = (dataDir: string): string => join(dataDir, `flowpost.${randomBytes(3).toString('hex')}`)

/**
 * Checks the sockets that processes have moved aside in step 2 of {@link lockDataFolder}. Removes dead ones. If a socket
 * belongs to the process that holds the folder, returns that process's greeting, a line that names the process.
 */
const findMovedHolder = async (dataDir: string): Promise<string | undefined> => {
  for (const name of await readdir(dataDir)) {
    if (!asideName.test(name)) continue
    const path = join(dataDir, name)
    const greeting = await readGreeting(path)
    if (greeting === undefined) rmSync(path, { force: true })
    else if (!isContender(greeting)) return greeting
  }
  return undefined
}

/**
 * Locks the data folder for this process. The holder listens on a Unix socket in the folder. When a process dies, its
 * socket rejects connections, so a lock never outlives its process. A process id in a lock file would be less reliable,
 * because process ids are reused.
 *
 * 1. A process listens on a socket with a unique name, then links it to the common name, `flowpost.sock`. `link`
 *    succeeds for one process only.
 * 2. If the socket at the common name is dead, it is moved aside to a unique name and probed again before it is
 *    removed. If another process has become the holder in the meantime, that process's socket is moved back.
 * 3. After a process has linked its socket, it checks that no holder's socket is moved aside, and then that the common
 *    name still refers to its own socket. If both are true, the process holds the folder.
 *
 * Two processes never hold the folder at the same time, even if processes are killed during these steps.
 * @throws DataFolderInUseError when a running process holds the folder, or is still trying to lock it after five seconds.
 * @throws DatabaseStartupError when the path of the folder is too long for a socket.
 */
export const lockDataFolder = async (dataDir: string): Promise<DataFolderLock> => {
  const path = socketPath(dataDir)
  const ownPath = newName(dataDir)
  if (Buffer.byteLength(ownPath) > maxSocketPathBytes)
    throw new DatabaseStartupError(`The path of the data folder is too long for a socket (${path}). Choose a shorter FLOWPOST_DATA_DIR.`)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const commands = Promise.withResolvers<RunCommand>()
  const connections = new Set<Socket>()
  let holdsFolder = false
  const server = createServer((socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
    serveConnection(socket, commands.promise, holdsFolder)
  })
  server.unref()
  await listen(server, ownPath)
  const own = inodeOf(ownPath)

  /**
   * Tries once to lock the folder, and sets `holdsFolder` to `true` if this succeeds. If another process prevents this,
   * returns that process's greeting, a line that names the process. If the result is `undefined` and `holdsFolder` is
   * `false`, the caller can try again at once.
   */
  const tryLock = async (): Promise<string | undefined> => {
    if (!succeeds('EEXIST', () => linkSync(ownPath, path))) return (await readGreeting(path)) ?? removeDead()
    const holder = await findMovedHolder(dataDir)
    if (holder !== undefined) return holder
    // The inodes differ after this sequence of events (see `removeDead`):
    // 1. Another process moved the holder's socket from `path` to a different name.
    // 2. This process linked its own socket to `path`.
    // 3. The other process moved the holder's socket back to `path`, which replaced this process's socket.
    //
    // The check and the assignment are synchronous, so no connection is served in between.
    holdsFolder = inodeOf(path) === own
    return undefined
  }

  /**
   * Moves the socket `flowpost.sock` aside. If the process that holds the folder responds on it, moves the socket back and
   * returns that process's greeting. Otherwise, removes the socket.
   */
  const removeDead = async (): Promise<string | undefined> => {
    const asidePath = `${newName(dataDir)}.old`
    if (!succeeds('ENOENT', () => renameSync(path, asidePath))) return undefined
    const greeting = await readGreeting(asidePath)
    const isHolder = greeting !== undefined && !isContender(greeting)
    if (isHolder) succeeds('ENOENT', () => renameSync(asidePath, path))
    rmSync(asidePath, { force: true })
    return isHolder ? greeting : undefined
  }

  try {
    const giveUpAtMs = performance.now() + maxContenderMs
    while (!holdsFolder) {
      const other = await tryLock()
      if (other === undefined) continue
      if (!isContender(other) || performance.now() > giveUpAtMs) throw new DataFolderInUseError(dataDir, other)
      await sleep(contenderPauseMs)
    }
  } catch (error) {
    await close(server, connections)
    throw error
  } finally {
    rmSync(ownPath, { force: true })
  }
  return {
    serve: commands.resolve,
    release: () => {
      if (inodeOf(path) === own) rmSync(path, { force: true })
      return close(server, connections)
    },
  }
}

const close = (server: Server, connections: ReadonlySet<Socket>): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    for (const connection of connections) connection.destroy()
  })
