import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { folderSize } from '../../../scripts/bundle/folder-size.ts'
import type { InstalledSdk } from './install.ts'

const execute = promisify(execFile)

/** Returns the size in bytes of an SDK and the program that calls it, bundled, minified and gzipped. */
export const bundleBytes = async ({ caller }: InstalledSdk): Promise<number> => {
  const { outputFiles } = await build({
    entryPoints: [caller],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'error',
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
}

/** Returns the size of `node_modules` in mebibytes. */
export const installedMebibytes = ({ folder }: InstalledSdk): number => {
  const modules = join(folder, 'node_modules')
  return existsSync(modules) ? folderSize(modules).mebibytes : 0
}

const importProgram = `const startedAt = performance.now()
const { createCall } = await import('./caller.mjs')
createCall('http://127.0.0.1:1')
console.log(performance.now() - startedAt)
process.exit()`

/** Returns the milliseconds that a new process takes to import an SDK and create its client. */
export const importMs = async ({ folder }: InstalledSdk): Promise<number> => {
  const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', importProgram], { cwd: folder })
  return Number(stdout)
}
