import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** Commands that run in a terminal until they are stopped. */
export interface Program extends AsyncDisposable {
  /** The standard output and the standard error so far. */
  readonly output: string
  /**
   * Waits until the condition holds.
   * @throws Error if the program exits first.
   */
  waitUntil(condition: () => boolean | Promise<boolean>): Promise<void>
  /** Presses Ctrl-C, and waits until the program has exited. Kills it after 40 seconds. */
  stop(): Promise<void>
}

const stopLimitMs = 40_000

/** Starts commands in a folder, as a separate process group. */
export const startProgram = (commands: string, folder: string, env: Readonly<Record<string, string>>): Program => {
  const child = spawn('bash', ['-euc', commands], { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  let isClosed = false
  const closed = once(child, 'close').then(() => {
    isClosed = true
  })
  const signal = (name: 'SIGINT' | 'SIGKILL') => {
    if (!isClosed && child.pid !== undefined) process.kill(-child.pid, name)
  }
  // Kills the program when this process exits, because a test that exceeds its time limit does not call `stop`.
  const onExit = () => signal('SIGKILL')
  process.once('exit', onExit)
  const stop = async () => {
    signal('SIGINT')
    const limit = setTimeout(() => signal('SIGKILL'), stopLimitMs)
    await closed
    clearTimeout(limit)
    process.off('exit', onExit)
  }
  return {
    get output() {
      return output
    },
    waitUntil: async (condition) => {
      while (!(await condition())) {
        if (isClosed) throw new Error(`The program exited:\n${commands}\n${output}`)
        await sleep(100)
      }
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
