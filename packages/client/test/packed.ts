import { execFile } from 'node:child_process'
import { copyFile, cp, mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The folder of this package. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** The folder of the repository. */
export const workspace = join(root, '../..')

const execute = promisify(execFile)
const run = (command: string, args: readonly string[], cwd: string) => execute(command, args, { cwd, shell: process.platform === 'win32' })

// `pnpm test` has it on its path; whoever starts vitest by itself may not.
const [pnpm = '', ...pnpmArgs] = process.env['npm_execpath']?.includes('pnpm') ? ['pnpm'] : ['npx', '--yes', 'pnpm']

/**
 * Builds, packs and installs this package into a project of its own, outside of the workspace, as its users do.
 * What is built and packed lies beside that project, so that it needs no build before it and leaves none behind.
 *
 * @returns A folder for the caller to delete, the project in it, and where the project has the package.
 */
export const installPacked = async (): Promise<{ folder: string; project: string; installed: string }> => {
  const folder = await mkdtemp(join(tmpdir(), 'flowpost-packed-'))
  const source = join(folder, 'packages/client')
  const project = join(folder, 'project')
  await mkdir(source, { recursive: true })
  await mkdir(project)
  // As much of a workspace as packing looks at: the catalog, the licence, and the versions of what it names.
  for (const file of ['package.json', 'pnpm-workspace.yaml', 'LICENSE']) await copyFile(join(workspace, file), join(folder, file))
  for (const file of ['package.json', 'README.md']) await copyFile(join(root, file), join(source, file))
  await cp(join(root, 'docs'), join(source, 'docs'), { recursive: true })
  await symlink(join(root, 'node_modules'), join(source, 'node_modules'), 'junction')
  await run(process.execPath, [join(root, 'node_modules/tsup/dist/cli-default.js'), '--out-dir', join(source, 'dist')], root)
  const tarball = join(folder, 'client.tgz')
  await run(pnpm, [...pnpmArgs, 'pack', '--out', tarball], source)

  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  // Without a registry: what needs another package cannot be installed so.
  await run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball], project)
  return { folder, project, installed: join(project, 'node_modules/@flowpost/client') }
}
