// Bundles the server into a folder that runs with Node 24 alone.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { thirdPartyNotices } from './third-party.ts'

/** The root folder of the repository. */
export const root = resolve(import.meta.dirname, '../..')
const api = join(root, 'apps/api')

const entryPoints = {
  'bin/backup': 'apps/api/bin/backup.js',
  'bin/flowpost': 'apps/api/bin/flowpost.js',
  'bin/keys': 'apps/api/bin/keys.js',
  'bin/migrate': 'apps/api/bin/migrate.js',
  'bin/restore': 'apps/api/bin/restore.js',
  'bin/secrets': 'apps/api/bin/secrets.js',
  // The thread of the embedded database. All chunks are in `lib`, so this file is next to the module that starts the thread.
  'lib/embedded-thread': 'apps/api/src/database/embedded-thread.ts',
  // For provider files (FLOWPOST_PROVIDERS). It shares its modules with the server, so both use the same error classes.
  'node_modules/@flowpost/delivery/index': 'packages/delivery/src/index.ts',
}

/**
 * Packages that are copied, because they read their own files or their files are served. Each pattern matches the files
 * needed at run time.
 */
const copiedPackages: Readonly<Record<string, RegExp>> = {
  '@electric-sql/pglite': /^(?:package\.json|LICENSE|dist\/(?:fs\/)?[\w-]+\.(?:js|wasm|data))$/,
  'swagger-ui-dist': /^(?:package\.json|LICENSE|NOTICE|swagger-ui\.css|swagger-ui-bundle\.js(?:\.LICENSE\.txt)?)$/,
}

/** Folders that are merged into `lib/assets`, because all bundled modules are in `lib`. */
const assetFolders = ['src/http/pages/assets', 'src/features/outbox/assets']

// Bundled CommonJS packages call `require`, which ES modules do not have.
const banner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`

const readManifest = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>

const writeJson = (path: string, value: unknown) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)

/** Removes an earlier bundle. Throws if the folder contains anything else. */
const removeOldBundle = (folder: string): void => {
  const names = existsSync(folder) ? readdirSync(folder) : []
  if (names.length > 0 && !names.includes('THIRD-PARTY.txt'))
    throw new Error(`${folder} contains something other than a bundle. Name a folder that is empty or does not exist.`)
  rmSync(folder, { recursive: true, force: true })
}

const copyPackage = (name: string, needed: RegExp, folder: string): string => {
  const source = realpathSync(join(api, 'node_modules', name))
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => needed.test(path.replaceAll('\\', '/')))
  for (const path of files) {
    const target = join(folder, 'node_modules', name, path)
    mkdirSync(dirname(target), { recursive: true })
    copyFileSync(join(source, path), target)
  }
  return source
}

/**
 * Bundles the server, its commands and `@flowpost/delivery` into a folder. Replaces an earlier bundle.
 * @returns the metafile of esbuild.
 * @throws Error if the folder contains anything other than a bundle.
 */
export const bundleServer = async (folder: string): Promise<Metafile> => {
  removeOldBundle(folder)
  const { metafile, warnings } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: folder,
    chunkNames: 'lib/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: [...Object.keys(copiedPackages), 'pg-native'],
    banner: { js: banner },
    metafile: true,
    logLevel: 'error',
  })
  if (warnings.length > 0) throw new Error(`esbuild warns: ${warnings.map(({ text }) => text).join('; ')}`)
  const assets = { recursive: true, errorOnExist: true, force: false }
  for (const source of assetFolders) cpSync(join(api, source), join(folder, 'lib/assets'), assets)
  const copied = Object.entries(copiedPackages).map(([name, needed]) => copyPackage(name, needed, folder))

  const { name, version, license, engines } = readManifest(api)
  writeJson(join(folder, 'package.json'), { name, version, private: true, license, type: 'module', engines })
  writeJson(join(folder, 'node_modules/@flowpost/delivery/package.json'), {
    name: '@flowpost/delivery',
    version: readManifest(join(root, 'packages/delivery'))['version'],
    license,
    type: 'module',
    exports: './index.js',
  })
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), thirdPartyNotices(metafile, root, copied))
  return metafile
}
