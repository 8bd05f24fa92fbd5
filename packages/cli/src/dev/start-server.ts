import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from '../cli-error.ts'
import type { Io } from '../io.ts'

// Code that the child process loads before the server. It stops the server cleanly when the parent process closes the IPC
// channel or is killed. The parent cannot send SIGTERM instead, because Windows has no signals.
const stopWithParent = `data:text/javascript,process.once('disconnect',()=>process.emit('SIGTERM','SIGTERM')||process.exit(143));process.channel?.unref()`

const pollMs = 50

/** A server that runs as a child process. */
export interface DevServer {
  /** Resolves when the server accepts requests. Rejects if the server ends first. */
  readonly ready: Promise<void>
  /** When the server ends, resolves to its exit code, or to `null` if a signal ended it. */
  readonly exited: Promise<number | null>
  /** Returns the latest lines of the server's standard error. */
  errorText(): string
}

interface StartOptions {
  readonly program: string
  readonly baseUrl: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly io: Pick<Io, 'fetch' | 'workingFolder' | 'platform' | 'signal'>
  /** Receives each line of the server's log. */
  readonly onLog: (line: string) => void
}

/** Starts a server that stops when `io.signal` aborts, or when this process ends for any reason. */
export const startServer = ({ program, baseUrl, env, io, onLog }: StartOptions): DevServer => {
  const child = spawn(process.execPath, ['--import', stopWithParent, program], {
    cwd: io.workingFolder,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // On systems other than Windows, the server gets its own process group. Ctrl-C then reaches only this process, which stops
    // the server.
    detached: io.platform !== 'win32',
    windowsHide: true,
  })
  const errors: string[] = []
  // Passes on the lines of the log, which are JSON. Omits the server's startup text, because `flowpost dev` prints its own.
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    if (line.startsWith('{')) onLog(line)
  })
  const errorLines = createInterface({ input: child.stderr as NodeJS.ReadableStream })
  errorLines.on('line', (line) => {
    if (line.trim() === '') return
    errors.push(line)
    if (errors.length > 20) errors.shift()
  })
  const stop = () => {
    if (child.connected) child.disconnect()
  }
  io.signal.addEventListener('abort', stop, { once: true })
  let hasExited = false
  // Resolves after the child has exited and its standard error has closed, so that `errorText` is complete. The child's `close`
  // event cannot be used, because Node does not emit it after `child.disconnect()`.
  const exited = Promise.all([once(child, 'exit'), once(errorLines, 'close')]).then(([[code]]) => {
    hasExited = true
    io.signal.removeEventListener('abort', stop)
    return code as number | null
  })
  const errorText = () => errors.join('\n').trim()
  const waitUntilReady = async () => {
    while (!hasExited) {
      // The port was free before the start, so only this server can respond.
      const isReady = await io.fetch(`${baseUrl}/readyz`).then(
        (response) => response.ok,
        () => false,
      )
      if (isReady) return
      await Promise.race([exited, sleep(pollMs)])
    }
    throw new CliError(`The server did not start. ${errorText()}`.trim())
  }
  return { ready: waitUntilReady(), exited, errorText }
}
