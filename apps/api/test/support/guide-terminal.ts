import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childEnvironment } from './child-environment.ts'
import { readFromRepository, repositoryFolder as root } from './guide-pages.ts'
import type { TestServer } from './test-server.ts'

/** The result of {@link GuideTerminal.run}. */
export interface TerminalResult {
  /** The exit code of the last command. */
  readonly code: number
  /** The standard output and the standard error, interleaved. */
  readonly output: string
}

/** A shell that starts in an empty folder, for following a guide. Variables persist until the shell is closed. */
export interface GuideTerminal extends AsyncDisposable {
  readonly folder: string
  /** Runs commands, and returns when they have ended. */
  run(commands: string): Promise<TerminalResult>
}

/** Writes the programs `npx` and `npm`, which run the sources instead of installed packages. */
const writePrograms = (folder: string): void => {
  const { scripts } = JSON.parse(readFromRepository('package.json')) as { scripts: Record<string, string> }
  const commands = Object.entries(scripts).flatMap(([name, script]) => {
    const [, file] = /^node (apps\/api\/bin\/\w+\.js)$/.exec(script) ?? []
    return file === undefined ? [] : [`'pnpm ${name}') shift 2; exec node '${join(root, file)}' "$@" ;;`]
  })
  const cli = join(root, 'packages/cli/src/flowpost.ts')
  const npx = ['case "$1 $2" in', ...commands, `'flowpost '*) shift; exec node '${cli}' "$@" ;;`, '*) exit 127 ;;', 'esac']
  const npm = `case "$*" in
'init --yes') echo '{}' > package.json ;;
'install --save-dev @flowpost/cli') mkdir -p node_modules/@flowpost && ln -s '${root}/packages/cli' node_modules/@flowpost/cli ;;
*) exit 127 ;;
esac`
  writeFileSync(join(folder, 'npx'), `#!/bin/sh\n${npx.join('\n')}\n`, { mode: 0o755 })
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 })
  symlinkSync(process.execPath, join(folder, 'node'))
}

/**
 * Opens the second terminal from "Get started", with a server's address and API key and the shell function `flowpost`.
 * @param variables Variables that the guide tells its reader to set.
 */
export const openGuideTerminal = (server: TestServer, variables: Readonly<Record<string, string>> = {}): GuideTerminal => {
  const home = mkdtempSync(join(tmpdir(), 'flowpost-guide-'))
  const programs = mkdtempSync(join(tmpdir(), 'flowpost-programs-'))
  writePrograms(programs)
  // The folders in the repository that the guides name.
  for (const name of ['ops', 'examples']) symlinkSync(join(root, name), join(home, name))
  const env = {
    ...childEnvironment,
    ...server.database.env,
    PATH: `${programs}:${childEnvironment['PATH']}`,
    HOME: home,
    NO_COLOR: '1',
    FLOWPOST_BASE_URL: server.url,
    FLOWPOST_API_KEY: server.keys.alice,
    ...variables,
  }
  const shell = spawn('sh', { cwd: home, env, stdio: ['pipe', 'pipe', 'inherit'] })
  const [definition = ''] = /^flowpost\(\) \{[\s\S]*?^\}$/m.exec(readFromRepository('docs/get-started.md')) ?? []
  shell.stdin.write(`exec 2>&1\n${definition}\n`)
  let printed = ''
  let onPrinted = () => {}
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    onPrinted()
  })

  const run = (commands: string): Promise<TerminalResult> => {
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
  }

  return {
    folder: home,
    run,
    [Symbol.asyncDispose]: async () => {
      if (shell.exitCode === null) {
        const exited = once(shell, 'exit')
        shell.stdin.end()
        await exited
      }
      for (const folder of [home, programs]) rmSync(folder, { recursive: true, force: true })
    },
  }
}
