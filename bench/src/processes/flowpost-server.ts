import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const binary = fileURLToPath(new URL('../../../apps/api/bin/flowpost.js', import.meta.url))
const readyLine = /ready on http:\/\/localhost:(\d+)/
const startTimeoutMs = 60_000
const stopTimeoutMs = 30_000
const maxOutputCharacters = 4_000

/** The API key of every server of a run. */
export const apiKey = `fp_bench_${'0123456789abcdef'.repeat(3)}`

/** A Flowpost server in a separate process. As in production, environment variables configure it. */
export interface FlowpostServer {
  readonly port: number
  readonly pid: number
  /** The time, in milliseconds, from the start of the process until the server is ready. */
  readonly startedInMs: number
  /** Suspends or resumes the process. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  stop(): Promise<void>
}

/**
 * Starts a server on a free port and waits until it is ready.
 * @param environment environment variables, in addition to those that turn off limits and reduce logging.
 * @param profileDir the folder for a CPU profile.
 * @param program the program to run. @default the server in the repository
 * @throws Error with the output of the server if it does not become ready.
 */
export const startFlowpost = async (
  environment: Readonly<Record<string, string>>,
  profileDir?: string,
  program = binary,
): Promise<FlowpostServer> => {
  const startedMs = performance.now()
  const profile = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`]
  const child = spawn(process.execPath, [...profile, program], {
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      LOG_LEVEL: 'warn',
      FLOWPOST_RATE_LIMIT: 'off',
      // The limit is high, because no worker empties the queue while acceptance is measured.
      FLOWPOST_QUEUE_LIMIT: '100000000',
      FLOWPOST_BOOTSTRAP_KEYS: `bench:${apiKey}`,
      // The databases are copies of a template. Without this variable, the server treats a copy as a restored database and
      // sends nothing.
      FLOWPOST_AFTER_RESTORE: 'send',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  const ready = Promise.withResolvers<number>()
  let output = ''
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-maxOutputCharacters)
    const port = readyLine.exec(output)?.[1]
    if (port !== undefined) ready.resolve(Number(port))
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  child.on('exit', (code) => ready.reject(new Error(`The server exited with ${code}:\n${output}`)))
  const timer = setTimeout(() => ready.reject(new Error(`The server was not ready in time:\n${output}`)), startTimeoutMs)

  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGCONT')
    child.kill('SIGTERM')
    const killTimer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
    await exited
    clearTimeout(killTimer)
  }
  try {
    const port = await ready.promise
    return { port, pid: child.pid ?? 0, startedInMs: performance.now() - startedMs, signal: (signal) => void child.kill(signal), stop }
  } catch (error) {
    await stop()
    throw error
  } finally {
    clearTimeout(timer)
  }
}
