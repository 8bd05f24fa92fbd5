import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readFromRepository } from '../../apps/api/test/support/guide-pages.ts'
import { openShell } from '../../apps/api/test/support/shell.ts'
import { createEmptyHomeEnvironment } from '../packages/empty-home.ts'
import { startRegistry } from '../packages/local-registry.ts'
import { packPackage } from '../packages/pack.ts'
import { root } from '../packages/published.ts'
import { copyRepository } from './repository-copy.ts'
import { type StandIns, startStandIns } from './stand-ins.ts'

/** A simulated new machine: a home folder that contains a copy of the repository. */
export interface Machine extends AsyncDisposable {
  /** The folder of the copy, which `git clone` created. */
  readonly repository: string
  readonly env: Readonly<Record<string, string>>
  readonly standIns: StandIns
}

/** The packages that the guides install. */
const installed = ['client', 'testing', 'cli']

/**
 * Builds and packs the packages, and starts a registry that serves them. The registry redirects requests for packages outside
 * `@flowpost` to the registry that npm is configured to use.
 */
const startPackageRegistry = (folder: string) => {
  const filters = installed.map((name) => `--filter=@flowpost/${name}`)
  execFileSync('pnpm', ['exec', 'turbo', 'run', 'build', ...filters], { cwd: root, stdio: 'pipe' })
  const fallback = execFileSync('npm', ['config', 'get', 'registry'], { cwd: root, encoding: 'utf8' }).trim()
  return startRegistry(
    installed.map((name) => packPackage(join(root, 'packages', name), folder)),
    fallback,
  )
}

/**
 * Configures npm to install all packages from `registry`, and global packages into the home folder. Configures Git to
 * clone `copy` instead of `url`.
 */
const writeSettings = (home: string, registry: string, url: string, copy: string): void => {
  writeFileSync(join(home, '.npmrc'), `registry=${registry}/\nprefix=${join(home, '.npm-global')}\nupdate-notifier=false\n`)
  writeFileSync(join(home, '.gitconfig'), `[url "file://${copy}"]\n\tinsteadOf = ${url}\n`)
}

/** Creates the machine, and clones the repository into its home folder with the URL from the guide. */
export const createMachine = async (): Promise<Machine> => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'flowpost-machine-')))
  const home = join(folder, 'home')
  mkdirSync(home)
  const [, url = ''] = /a copy of \[the repository\]\(([^)]+)\)/.exec(readFromRepository('docs/get-started.md')) ?? []
  const registry = await startPackageRegistry(folder)
  writeSettings(home, registry.url, url, copyRepository(folder))
  const standIns = await startStandIns(folder)
  const env = createEmptyHomeEnvironment(process.execPath, home)
  const machine: Machine = {
    repository: join(home, 'flowpost'),
    env: { ...env, PATH: `${join(home, '.npm-global/bin')}:${env['PATH']}` },
    standIns,
    [Symbol.asyncDispose]: async () => {
      registry.close()
      await standIns[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await using shell = openShell(home, machine.env)
  const cloned = await shell.run(`git clone --quiet ${url} flowpost`)
  if (cloned.code !== 0) throw new Error(`Cloning the repository failed: ${cloned.output}`)
  return machine
}
