import { execFile } from 'node:child_process'
import { copyFile, cp, mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The directory of this package. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The root directory of the repository. */
export const workspace = join(root, '../..')

const execute = promisify(execFile)
const run = (command: string, args: readonly string[], cwd: string) => execute(command, args, { cwd, shell: process.platform === 'win32' })

// `pnpm test` has pnpm on its path. A vitest process that is started directly may not.
const [pnpm = '', ...pnpmArgs] = process.env['npm_execpath']?.includes('pnpm') ? ['pnpm'] : ['npx', '--yes', 'pnpm']

/**
 * Builds and packs this package, and installs it in a new project outside the workspace, as users do.
 * The build goes to a temporary folder, so the test neither needs nor changes `dist`.
 *
 * @returns `folder` is the temporary folder, which the caller must delete. It contains `project`, where the package is installed.
 * `installed` is the folder of the installed package.
 */
export const installPacked = async (): Promise<{ folder: string; project: string; installed: string }> => {
  const folder = await mkdtemp(join(tmpdir(), 'flowpost-packed-'))
  const source = join(folder, 'packages/client')
  const project = join(folder, 'project')
  await mkdir(source, { recursive: true })
  await mkdir(project)
  // The parts of the workspace that packing reads: the catalog, the license and the manifests.
  for (const file of ['package.json', 'pnpm-workspace.yaml', 'LICENSE']) await copyFile(join(workspace, file), join(folder, file))
  for (const file of ['package.json', 'README.md']) await copyFile(join(root, file), join(source, file))
  await cp(join(root, 'docs'), join(source, 'docs'), { recursive: true })
  await symlink(join(root, 'node_modules'), join(source, 'node_modules'), 'junction')
  await run(process.execPath, [join(root, 'node_modules/tsup/dist/cli-default.js'), '--out-dir', join(source, 'dist')], root)
  const tarball = join(folder, 'client.tgz')
  await run(pnpm, [...pnpmArgs, 'pack', '--out', tarball], source)

  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  // Offline, so that the installation fails if the package has a dependency.
  await run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball], project)
  return { folder, project, installed: join(project, 'node_modules/@flowpost/client') }
}
