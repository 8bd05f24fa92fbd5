// Runs what is in a bundle as an operator does.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const startTimeoutMs = 60_000
const stopTimeoutMs = 30_000

/** A server of a bundle, ready. */
export interface BundledServer {
  readonly url: string
  /** The key of a first start. */
  readonly firstKey: string | undefined
  readonly startedInMs: number
  /** Asks it to stop and gives its exit code: `null` when it had to be killed. */
  stop(): Promise<number | null>
}

/** Where a program runs, and all that it is told. */
export interface Surroundings {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * Starts the server of a bundle and waits until it says that it is ready.
 * @throws Error with what it wrote, when it does not become ready.
 */
export const startBundle = async (bundle: string, { cwd, env }: Surroundings): Promise<BundledServer> => {
  const startedMs = performance.now()
  const child = spawn(process.execPath, [join(bundle, 'bin/flowpost.js')], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const ready = Promise.withResolvers<string>()
  let output = ''
  const take = (chunk: Buffer) => {
    output += String(chunk)
    const port = /ready on http:\/\/localhost:(\d+)/.exec(output)?.[1]
    if (port !== undefined) ready.resolve(`http://127.0.0.1:${port}`)
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  child.on('exit', (code) => ready.reject(new Error(`The server of the bundle ended with ${code}:\n${output}`)))
  const stop = async () => {
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
    const [code] = await exited
    clearTimeout(late)
    return code
  }
  const late = setTimeout(() => ready.reject(new Error(`The server of the bundle is not ready in time:\n${output}`)), startTimeoutMs)
  try {
    const url = await ready.promise
    const startedInMs = performance.now() - startedMs
    // One line of what it says when it is ready, so it has come whole.
    return { url, firstKey: /\bfp_[A-Za-z0-9_-]{32,}/.exec(output)?.[0], startedInMs, stop }
  } catch (error) {
    await stop()
    throw error
  } finally {
    clearTimeout(late)
  }
}

/**
 * Runs an operator's command of a bundle.
 * @throws Error with what it wrote, when it fails.
 */
export const runBundled = async (bundle: string, file: string, args: readonly string[], { cwd, env }: Surroundings): Promise<string> => {
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
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}:\n${output}${errors}`)
  return output
}
