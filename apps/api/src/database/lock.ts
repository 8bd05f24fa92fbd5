import { randomBytes } from 'node:crypto'
import { linkSync, renameSync, rmSync, statSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isContender, type RunCommand, readGreeting, serveConnection } from './control-socket.ts'

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

const longestSocketPath = 100
const asideForm = /^flowpost\.[0-9a-f]{6}\.old$/
// A contender decides within milliseconds; one that does not was stopped in the middle of it.
const contenderPauseMs = 10
const contenderPatienceMs = 5_000

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    // Only the owner of the folder may talk to it; the umask is set around the bind, which is synchronous.
    const umask = process.umask(0o177)
    server.listen(path, resolve)
    process.umask(umask)
  })

/** Where the process that holds a data folder listens. */
export const socketPath = (dataDir: string): string => join(dataDir, 'flowpost.sock')

const inodeOf = (path: string): bigint | undefined => statSync(path, { bigint: true, throwIfNoEntry: false })?.ino

/** Does what may find that somebody else was faster; says whether it was done. */
const unless = (code: 'EEXIST' | 'ENOENT', act: () => void): boolean => {
  try {
    act()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false
    throw error
  }
}

const newName = (dataDir: string): string => join(dataDir, `flowpost.${randomBytes(3).toString('hex')}`)

/** The holder's socket, where it was moved aside and not put back yet: see below. */
const holderAside = async (dataDir: string): Promise<string | undefined> => {
  for (const name of await readdir(dataDir)) {
    if (!asideForm.test(name)) continue
    const path = join(dataDir, name)
    const answer = await readGreeting(path)
    if (answer === undefined) rmSync(path, { force: true })
    else if (!isContender(answer)) return answer
  }
  return undefined
}

/**
 * Takes the data folder for this process alone, by a unix socket in it that answers. A process that died
 * cannot hold it: its socket refuses connections, whatever its process id is now.
 *
 * A socket listens under a name of its own before it gets the common one, so one that refuses there is dead
 * for certain. It gets the common name by `link`, which exactly one can. A dead socket is moved aside, to a
 * name that was never used, and asked again before it is removed: it may be the holder's by then, which is
 * put back. Whoever has got the name in the meantime finds the holder aside, or its own socket replaced, and
 * does not hold the folder. So it matters to nobody how fast the others are, or where they are killed.
 * @throws DataFolderInUseError when a living process holds the folder.
 */
export const lockDataFolder = async (dataDir: string): Promise<DataFolderLock> => {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const path = socketPath(dataDir)
  const ownPath = newName(dataDir)
  if (Buffer.byteLength(ownPath) > longestSocketPath)
    throw new Error(`The path of the data folder is too long for a socket (${path}). Choose a shorter FLOWPOST_DATA_DIR.`)
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

  /** One try; gives who else has the folder, or wants it. */
  const take = async (): Promise<string | undefined> => {
    if (!unless('EEXIST', () => linkSync(ownPath, path))) return (await readGreeting(path)) ?? removeDead()
    const holder = await holderAside(dataDir)
    if (holder !== undefined) return holder
    // Last, because a holder that is put back takes the name; and at once, so that nobody is told otherwise.
    holdsFolder = inodeOf(path) === own
    return undefined
  }

  const removeDead = async (): Promise<string | undefined> => {
    const asidePath = `${newName(dataDir)}.old`
    if (!unless('ENOENT', () => renameSync(path, asidePath))) return undefined
    const answer = await readGreeting(asidePath)
    const isHolder = answer !== undefined && !isContender(answer)
    if (isHolder) unless('ENOENT', () => renameSync(asidePath, path))
    rmSync(asidePath, { force: true })
    return isHolder ? answer : undefined
  }

  try {
    const giveUpMs = performance.now() + contenderPatienceMs
    while (!holdsFolder) {
      const other = await take()
      if (other === undefined) continue
      if (!isContender(other) || performance.now() > giveUpMs) throw new DataFolderInUseError(dataDir, other)
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
    for (const each of connections) each.destroy()
  })
