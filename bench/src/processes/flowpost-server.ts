import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const binary = fileURLToPath(new URL('../../../apps/api/bin/flowpost.js', import.meta.url))
const readyLine = /ready on http:\/\/localhost:(\d+)/
const startTimeoutMs = 60_000
const stopTimeoutMs = 30_000
const keptOutput = 4_000

/** The key that every server of a run knows. */
export const apiKey = `fp_bench_${'0123456789abcdef'.repeat(3)}`

/** A server that runs as its users run it: a process of its own, configured by its environment. */
export interface FlowpostServer {
  readonly port: number
  readonly pid: number
  /** Milliseconds from the start of the process until it said that it is ready. */
  readonly startedInMs: number
  /** Stops the process where it stands, or lets it go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  stop(): Promise<void>
}

/**
 * Starts a server on a free port and waits until it is ready.
 * @param environment what differs from a server without rate limits that logs warnings.
 * @param profileDir where it leaves a CPU profile when it ends.
 * @param program what is run. Default: the server of the repository.
 * @throws Error with what the server wrote, when it does not become ready.
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
      // No worker empties the queue while accepting is measured.
      FLOWPOST_QUEUE_LIMIT: '100000000',
      FLOWPOST_BOOTSTRAP_KEYS: `bench:${apiKey}`,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  const ready = Promise.withResolvers<number>()
  let output = ''
  const take = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-keptOutput)
    const port = readyLine.exec(output)?.[1]
    if (port !== undefined) ready.resolve(Number(port))
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  child.on('exit', (code) => ready.reject(new Error(`The server ended with ${code}:\n${output}`)))
  const timer = setTimeout(() => ready.reject(new Error(`The server was not ready in time:\n${output}`)), startTimeoutMs)

  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGCONT')
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
    await exited
    clearTimeout(late)
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
