import { execFile } from 'node:child_process'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installVersion, npmInstall, readInstalledVersion } from './npm-install.ts'
import type { Sdk } from './packages.ts'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const callers = fileURLToPath(new URL('./callers', import.meta.url))
/** The folder for installed SDKs. Git ignores it, like every `node_modules`. */
const cache = join(root, 'node_modules/.cache/flowpost-bench-sdks')

/** An SDK that is installed in a separate folder. */
export interface InstalledSdk extends Sdk {
  readonly folder: string
  /** The path of the program that calls the SDK. The program is next to the SDK's `node_modules`. */
  readonly caller: string
  readonly installedVersion: string
}

/**
 * Builds and packs the client, so that the benchmark measures the package that users install.
 * @returns the path of the tarball.
 */
const packClient = async (folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true })
  const client = join(root, 'packages/client')
  await execute('pnpm', ['build'], { cwd: client })
  await execute('pnpm', ['pack', '--out', join(folder, 'client.tgz')], { cwd: client })
  return './client.tgz'
}

/**
 * Installs an SDK. A version from the registry is not installed again if an earlier run has installed it. The client of
 * this repository is packed and installed in every run.
 * @throws Error if the registry is not available.
 */
export const installSdk = async (sdk: Sdk): Promise<InstalledSdk> => {
  const { name, package: packageName, version } = sdk
  const folder = join(cache, version === undefined ? name : `${name}@${version}`)
  if (packageName !== undefined && version !== undefined) await installVersion(folder, packageName, version)
  if (packageName !== undefined && version === undefined) {
    await rm(folder, { recursive: true, force: true })
    await npmInstall(folder, await packClient(folder))
  }
  await mkdir(folder, { recursive: true })
  const caller = join(folder, 'caller.mjs')
  await copyFile(join(callers, `${name}.js`), caller)
  const installedVersion = packageName === undefined ? '' : ((await readInstalledVersion(folder, packageName)) ?? '')
  return { ...sdk, folder, caller, installedVersion }
}
