import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withoutRoot } from '../../test/support/without-root.ts'
import { readGreeting, sendCommand } from './control-socket.ts'
import { DataFolderInUseError, lockDataFolder, socketPath } from './lock.ts'
import { DatabaseStartupError } from './until-available.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'flowpost-lock-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

/** Sends `text` on a new connection. Returns everything received before the connection closes. */
const exchange = async (text: string): Promise<string> => {
  const socket = connect(socketPath(dataDir)).setEncoding('utf8')
  let received = ''
  socket.on('error', () => {})
  socket.on('data', (chunk: string) => {
    received += chunk
  })
  socket.write(text)
  await once(socket, 'close')
  return received
}

/** Runs `work` as a user who may write to the data folder, but may not open the holder's socket. */
const asOtherUser = async <T>(work: () => Promise<T>): Promise<T> => {
  await chmod(socketPath(dataDir), 0)
  await chmod(dataDir, 0o777)
  return withoutRoot(work)
}

describe("a data folder's lock", () => {
  it('is held by one process at a time, and the error in other processes names the holder', async () => {
    const lock = await lockDataFolder(dataDir)

    await expect(lockDataFolder(dataDir)).rejects.toThrow(DataFolderInUseError)
    await expect(lockDataFolder(dataDir)).rejects.toThrow(
      new RegExp(`in use by Flowpost, process ${process.pid}\\. Stop that process, or set FLOWPOST_DATA_DIR to another folder\\.$`),
    )
    await lock.release()
    const next = await lockDataFolder(dataDir)
    await next.release()
  })

  it('is free after its holder was killed', async () => {
    const script = `import { lockDataFolder } from ${JSON.stringify(join(import.meta.dirname, 'lock.ts'))}
      await lockDataFolder(${JSON.stringify(dataDir)}); console.log('held'); setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    await expect(lockDataFolder(dataDir)).rejects.toThrow(`process ${child.pid}.`)
    child.kill('SIGKILL')
    await once(child, 'exit')

    const lock = await lockDataFolder(dataDir)
    await lock.release()
  })

  it('is left in place by a process of another user, who may not open its socket', async () => {
    const lock = await lockDataFolder(dataDir)

    await expect(asOtherUser(() => lockDataFolder(dataDir))).rejects.toThrow(
      `The data folder ${dataDir} is in use by a process of another user (its socket file: ${socketPath(dataDir)}). Stop that ` +
        'process, or set FLOWPOST_DATA_DIR to another folder. If no Flowpost process uses this folder, remove the file.',
    )
    await chmod(socketPath(dataDir), 0o600)
    expect(await readGreeting(socketPath(dataDir))).toBe(`Flowpost, process ${process.pid}`)
    await lock.release()
  })

  it('is rejected, and no folder is created, if the path of the data folder is too long for a socket', async () => {
    const folder = join(dataDir, 'x'.repeat(100))
    await expect(lockDataFolder(folder)).rejects.toThrow(
      new DatabaseStartupError(
        `The path of the data folder is too long for a socket (${socketPath(folder)}). Choose a shorter FLOWPOST_DATA_DIR.`,
      ),
    )
    expect(await readdir(dataDir)).toEqual([])
  })

  it('creates a socket that only the folder owner can open', async () => {
    const lock = await lockDataFolder(dataDir)
    const { mode } = await stat(socketPath(dataDir))
    await lock.release()

    expect(mode & 0o777).toBe(0o600)
  })
})

describe('the control socket', () => {
  it('sends a greeting that names the process', async () => {
    const lock = await lockDataFolder(dataDir)

    expect(await readGreeting(socketPath(dataDir))).toBe(`Flowpost, process ${process.pid}`)
    await lock.release()
    expect(await readGreeting(socketPath(dataDir))).toBeUndefined()
  })

  it('runs commands, including those that arrived before it was ready', async () => {
    const lock = await lockDataFolder(dataDir)
    const early = sendCommand(socketPath(dataDir), 'echo', { text: 'line\nbreak' })
    lock.serve(async (command, input) => (command === 'echo' ? { result: input } : { error: `no ${command}` }))

    expect(await early).toEqual({ result: { text: 'line\nbreak' } })
    expect(await sendCommand(socketPath(dataDir), 'other', {})).toEqual({ error: 'no other' })
    await lock.release()
    expect(await sendCommand(socketPath(dataDir), 'echo', {})).toBeUndefined()
  })

  it('returns an error to a user who may not open it', async () => {
    const lock = await lockDataFolder(dataDir)
    lock.serve(async () => ({ result: 'reached' }))

    expect(await asOtherUser(() => sendCommand(socketPath(dataDir), 'keys.list', {}))).toEqual({
      error:
        `Access to the control socket ${socketPath(dataDir)} is denied. Run the command as the user that runs the server. ` +
        'If no Flowpost process uses this folder, remove the file.',
    })
    await lock.release()
  })

  it('returns a response of any length', async () => {
    const lock = await lockDataFolder(dataDir)
    lock.serve(async () => ({ result: 'ä'.repeat(3_000_000) }))

    expect(await sendCommand(socketPath(dataDir), 'long', {})).toEqual({ result: 'ä'.repeat(3_000_000) })
    await lock.release()
  })

  it.each(['not json\n', '[]\n', '{"command":1}\n', 'null\n'])('responds to %j with an error', async (text) => {
    const lock = await lockDataFolder(dataDir)
    lock.serve(async () => ({ result: 'reached' }))

    expect(await exchange(text)).toBe(`Flowpost, process ${process.pid}\n{"error":"A command must be one line of JSON."}\n`)
    await lock.release()
  })

  it('closes the connection when a line is too long', async () => {
    const lock = await lockDataFolder(dataDir)
    lock.serve(async () => ({ result: 'reached' }))

    expect(await exchange('x'.repeat(70_000))).not.toContain('reached')
    await lock.release()
  })

  it('closes connections when the folder is released, and the client returns an error', async () => {
    const lock = await lockDataFolder(dataDir)
    const waiting = sendCommand(socketPath(dataDir), 'echo', {})
    while ((await readGreeting(socketPath(dataDir))) === undefined);
    await lock.release()

    expect(await waiting).toEqual({
      error: `Flowpost, process ${process.pid} did not respond to the command. The command may still have been carried out.`,
    })
  })
})
