import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'

/** The result of {@link Shell.run}. */
export interface ShellResult {
  /** The exit code of the last command. */
  readonly code: number
  /** The standard output and the standard error, interleaved. */
  readonly output: string
}

/** A shell. Its variables and its working directory persist until it is closed. */
export interface Shell extends AsyncDisposable {
  /**
   * Runs commands, and returns when they have ended.
   * @throws Error when a command ends the shell.
   */
  run(commands: string): Promise<ShellResult>
}

/**
 * Opens a shell in a folder. Call `run` again only when the previous commands have ended.
 * @param setUp Commands to run first, which print nothing.
 */
export const openShell = (folder: string, env: Readonly<Record<string, string>>, setUp = ''): Shell => {
  const shell = spawn('sh', { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] })
  shell.stdin.write(`exec 2>&1\n${setUp}\n`)
  let printed = ''
  let onPrinted = () => {}
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    onPrinted()
  })
  return {
    run: (commands) => {
      const mark = randomUUID()
      const pattern = new RegExp(`^([\\s\\S]*)${mark} (\\d+)\\n$`)
      return new Promise((done, reject) => {
        const onExit = () => reject(new Error(`The shell ended: ${printed}`))
        printed = ''
        onPrinted = () => {
          const [, output = '', code] = pattern.exec(printed) ?? []
          if (code === undefined) return
          shell.off('exit', onExit)
          done({ code: Number(code), output })
        }
        shell.once('exit', onExit)
        shell.stdin.write(`${commands}\nprintf '${mark} %s\\n' "$?"\n`)
      })
    },
    [Symbol.asyncDispose]: async () => {
      if (shell.exitCode !== null) return
      const exited = once(shell, 'exit')
      shell.stdin.end()
      await exited
    },
  }
}
