import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { openShell } from '../../apps/api/test/support/shell.ts'
import type { Machine } from './machine.ts'
import { openPage } from './page.ts'
import { openServerTerminal, type ServerTerminal } from './server-terminal.ts'

/** A person who has followed "Get started": the first terminal runs a server, and the second one has its URL and an API key. */
export interface Reader extends AsyncDisposable {
  readonly server: ServerTerminal
  /** The repository's folder, in which the reader has opened both terminals. */
  readonly repository: string
  readonly env: Readonly<Record<string, string>>
  /** The output of the commands that "Get started" runs in the second terminal. */
  readonly firstOutput: string
  /** Runs commands in the second terminal, and returns what they print. Asserts the exit code of the last command. */
  run(commands: string, exitCode?: number): Promise<string>
  /** Creates a folder, and enters it in the second terminal. Returns its path. */
  enterNewFolder(name: string): Promise<string>
}

/** Removes the files that other readers have created, and reverts their changes. Keeps the installed packages. */
const restoreRepository = (repository: string): void => {
  execFileSync('git', ['clean', '--force', '-d', '--quiet'], { cwd: repository })
  execFileSync('git', ['checkout', '--quiet', '.'], { cwd: repository })
  for (const ignored of ['.data', 'backups']) rmSync(join(repository, ignored), { recursive: true, force: true })
}

/** Creates a {@link Reader}: deletes the data of earlier readers, then runs the first commands of "Get started". */
export const openReader = async (machine: Machine): Promise<Reader> => {
  const { repository, env } = machine
  restoreRepository(repository)
  const page = openPage('docs/get-started.md')
  await using opened = new AsyncDisposableStack()
  const server = opened.use(openServerTerminal(machine))
  await server.start(page.take('sh'))
  const [, apiKey = ''] = await server.waitForOutput(/^ {2}(fp_\S+)$/m)
  // Skips this block, which shows the startup text. Another test compares it with the real text.
  page.take('text')

  const shell = opened.use(openShell(repository, env, 'set -eu'))
  const run = async (commands: string, exitCode = 0): Promise<string> => {
    const { code, output } = await shell.run(exitCode === 0 ? commands : `set +e\n${commands}`)
    if (exitCode !== 0) await shell.run('set -e')
    expect(code, `the exit code of:\n${commands}\n${output}`).toBe(exitCode)
    return output
  }
  const firstOutput = await run(page.take('sh', { 'fp_…': apiKey }))
  const resources = opened.move()
  return {
    server,
    repository,
    env,
    firstOutput,
    run,
    enterNewFolder: async (name) => {
      const folder = join(repository, name)
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder)
      await run(`cd '${folder}'`)
      return folder
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
