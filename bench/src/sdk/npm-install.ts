import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Returns the installed version of a package in a folder; `undefined` if the package is not installed there. */
export const readInstalledVersion = async (folder: string, name: string): Promise<string | undefined> => {
  const manifest = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8').catch(() => undefined)
  return manifest && (JSON.parse(manifest) as { version: string }).version
}

/**
 * Installs a package in a folder.
 * @param what A package with its version, or the path of a tarball.
 * @throws Error if the registry is not available.
 */
export const npmInstall = async (folder: string, what: string): Promise<void> => {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline']
  await execute('npm', ['install', ...options, what], { cwd: folder, timeout: 120_000 })
}

/**
 * Installs a version of a package in a folder, unless an earlier run has installed it there.
 * @throws Error if the registry is not available.
 */
export const installVersion = async (folder: string, name: string, version: string): Promise<void> => {
  if ((await readInstalledVersion(folder, name)) === version) return
  await rm(folder, { recursive: true, force: true })
  await npmInstall(folder, `${name}@${version}`)
}
