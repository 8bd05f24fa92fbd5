// Runs a bundle's server and commands as an operator would.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const startTimeoutMs = 60_000
const stopTimeoutMs = 30_000

/** A bundled server that is ready. */
export interface BundledServer {
  readonly url: string
  /** The API key printed at the first start. */
  readonly firstKey: string | undefined
  readonly startedInMs: number
  /** Sends SIGTERM and waits for the exit. Returns the exit code, or `null` if the server had to be killed. */
  stop(): Promise<number | null>
}

/** The working folder and the complete environment of a process. */
export interface ProcessOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * Starts a bundle's server and waits until it is ready.
 * @throws Error with the server's output if the server does not become ready.
 */
export const startBundle = async (bundle: string, { cwd, env }: ProcessOptions): Promise<BundledServer> => {
  const startedMs = performance.now()
  const child = spawn(process.execPath, [join(bundle, 'bin/flowpost.js')], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const ready = Promise.withResolvers<string>()
  let output = ''
  const collect = (chunk: Buffer) => {
    output += String(chunk)
    const port = /ready on http:\/\/localhost:(\d+)/.exec(output)?.[1]
    if (port !== undefined) ready.resolve(`http://127.0.0.1:${port}`)
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  child.on('exit', (code) => ready.reject(new Error(`The bundled server exited with ${code}:\n${output}`)))
  const stop = async () => {
    child.kill('SIGTERM')
    const killTimer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
    const [code] = await exited
    clearTimeout(killTimer)
    return code
  }
  const startTimer = setTimeout(() => ready.reject(new Error(`The bundled server was not ready in time:\n${output}`)), startTimeoutMs)
  try {
    const url = await ready.promise
    const startedInMs = performance.now() - startedMs
    // The server writes its startup banner in a single call, so the line with the key is complete.
    return { url, firstKey: /\bfp_[A-Za-z0-9_-]{32,}/.exec(output)?.[0], startedInMs, stop }
  } catch (error) {
    await stop()
    throw error
  } finally {
    clearTimeout(startTimer)
  }
}

/**
 * Runs an operator's command from a bundle.
 * @returns its standard output.
 * @throws Error with the command's output if the command fails.
 */
export const runBundled = async (bundle: string, file: string, args: readonly string[], { cwd, env }: ProcessOptions): Promise<string> => {
  const child = spawn(process.execPath, [join(bundle, 'bin', file), ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk) => {
    output += String(chunk)
  })
  child.stderr.on('data', (chunk) => {
    errors += String(chunk)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} exited with ${code}:\n${output}${errors}`)
  return output
}
