import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../support/child-environment.ts'
import { freePort } from '../support/private-postgres.ts'

/** The path to the server's program. */
export const serverEntry = fileURLToPath(new URL('../../bin/flowpost.js', import.meta.url))

/** A server process that can be killed and started again on the same port. */
export interface ServerProcess {
  readonly url: string
  readonly role: string
  /** Kills the process with SIGKILL, and resolves when it has exited. */
  kill(): Promise<void>
  signal(signal: NodeJS.Signals): void
  /** Resolves with the exit code when the process has exited. */
  ended(): Promise<number | null>
  /** Starts the process, and resolves when it is ready or has exited. */
  start(): Promise<void>
  /** Returns the last 20,000 characters that the process has printed. */
  output(): string
}

/** Prepares a server process on a free port. `onOutput` receives everything that the process prints. */
export const createServerProcess = async (
  env: Readonly<Record<string, string>>,
  onOutput: (text: string) => void = () => {},
): Promise<ServerProcess> => {
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
      const running = child
      child = undefined
      if (!running || running.exitCode !== null || running.signalCode !== null) return
      const exited = once(running, 'exit')
      running.kill('SIGKILL')
      await exited
    },
    signal: (signal) => void child?.kill(signal),
    ended: async () => {
      if (!child || child.exitCode !== null) return child?.exitCode ?? null
      const [code] = await once(child, 'exit')
      return code
    },
    start: async () => {
      const started = spawn(process.execPath, [serverEntry], {
        env: { ...childEnvironment, HOME: process.env['HOME'] ?? '', PORT: String(port), LOG_LEVEL: 'warn', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child = started
      for (const stream of [started.stdout, started.stderr])
        stream?.on('data', (chunk: Buffer) => {
          printed = (printed + chunk.toString()).slice(-20_000)
          onOutput(chunk.toString())
        })
      while (child === started && started.exitCode === null && started.signalCode === null) {
        if (await isReady()) return
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
  }
}
