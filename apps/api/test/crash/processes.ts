import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

/** The program of a server. */
export const serverEntry = fileURLToPath(new URL('../../bin/flowpost.js', import.meta.url))

/** A server process that is killed and started again. */
export interface ServerProcess {
  readonly url: string
  readonly role: string
  /** Kills it with SIGKILL, whatever it is doing. */
  kill(): Promise<void>
  signal(signal: NodeJS.Signals): void
  /** Resolves with its exit code when it has ended. */
  ended(): Promise<number | null>
  /** Starts it again and waits until it is ready, or has failed to be. */
  start(): Promise<void>
  /** What it has printed. */
  output(): string
}

/** A port that is free now. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Prepares a server process on a port of its own. */
export const createServerProcess = async (env: Readonly<Record<string, string>>): Promise<ServerProcess> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | undefined
  let printed = ''

  const isReady = (): Promise<boolean> =>
    fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
      async (response) => {
        await response.body?.cancel()
        return response.ok
      },
      () => false,
    )

  return {
    url,
    role: env['FLOWPOST_ROLE'] ?? 'all',
    output: () => printed,
    kill: async () => {
      const dying = child
      child = undefined
      if (!dying || dying.exitCode !== null || dying.signalCode !== null) return
      const exited = once(dying, 'exit')
      dying.kill('SIGKILL')
      await exited
    },
    signal: (signal) => void child?.kill(signal),
    ended: async () => {
      if (!child || child.exitCode !== null) return child?.exitCode ?? null
      const [code] = await once(child, 'exit')
      return code
    },
    start: async () => {
      const fresh = spawn(process.execPath, [serverEntry], {
        env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', PORT: String(port), LOG_LEVEL: 'warn', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child = fresh
      for (const stream of [fresh.stdout, fresh.stderr])
        stream?.on('data', (chunk: Buffer) => {
          printed = (printed + chunk.toString()).slice(-20_000)
        })
      while (child === fresh && fresh.exitCode === null && fresh.signalCode === null) {
        if (await isReady()) return
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
  }
}
