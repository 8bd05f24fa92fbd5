// Bundles the server into a folder that needs only Node 24 to run, or into the published package.
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { bundleMarker, replaceBundle } from './replace-bundle.ts'
import { thirdPartyNotices } from './third-party.ts'

/** The root folder of the repository. */
export const root = resolve(import.meta.dirname, '../..')
const api = join(root, 'apps/api')

const folderEntryPoints = {
  'bin/backup': 'apps/api/bin/backup.js',
  'bin/flowpost': 'apps/api/bin/flowpost.js',
  'bin/keys': 'apps/api/bin/keys.js',
  'bin/migrate': 'apps/api/bin/migrate.js',
  'bin/restore': 'apps/api/bin/restore.js',
  'bin/secrets': 'apps/api/bin/secrets.js',
  // Provider files (FLOWPOST_PROVIDERS) import this package. It is bundled together with the server, so that provider files
  // and the server use the same error classes.
  'node_modules/@flowpost/delivery/index': 'packages/delivery/src/index.ts',
}

// `npx @flowpost/server` can run only one program, so that program contains all commands.
const packageEntryPoints = { 'bin/flowpost-server': 'apps/api/bin/flowpost-server.js' }

// The worker thread of the embedded database. This file must be next to the chunk that starts the thread, which is in `lib`.
const threadEntryPoint = { 'lib/embedded-thread': 'apps/api/src/database/embedded-thread.ts' }

/**
 * The embedded database's package, which is not bundled because it reads its own files. `files` matches the files needed
 * at run time.
 */
const embeddedDatabase = {
  name: '@electric-sql/pglite',
  files: /^(?:package\.json|LICENSE|dist\/(?:fs\/)?[\w-]+\.(?:js|wasm|data))$/,
}

/** Packages that npm installs next to the published server. The server and its users' provider files share them. */
const packageDependencies = [embeddedDatabase.name, '@flowpost/delivery']

/** Folders that are merged into `lib/assets`, because all bundled modules are in `lib`. */
const assetFolders = ['src/http/pages/assets', 'src/http/pages/docs/assets', 'src/features/outbox/assets']

// Copied into the bundle, because the server's API reference shows the examples from this file.
const methodReference = join(root, 'packages/client/docs/reference.md')

// Defines `require` in the bundle, because bundled CommonJS packages call it and ES modules do not have it.
const banner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`

const packagePaths = ['bin', 'lib', bundleMarker]
const folderPaths = [...packagePaths, 'node_modules/@flowpost/delivery', `node_modules/${embeddedDatabase.name}`, 'package.json', 'LICENSE']

const readManifest = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>

const writeJson = (path: string, value: unknown) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)

const packageFolder = (name: string): string => realpathSync(join(api, 'node_modules', name))

const copyPackage = (name: string, needed: RegExp, folder: string): void => {
  const source = packageFolder(name)
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => needed.test(path.replaceAll('\\', '/')))
  for (const path of files) {
    const target = join(folder, 'node_modules', name, path)
    mkdirSync(dirname(target), { recursive: true })
    copyFileSync(join(source, path), target)
  }
}

interface BundleOptions {
  readonly entryPoints: Readonly<Record<string, string>>
  /** The packages that the bundle does not contain, but imports at run time. */
  readonly external: readonly string[]
}

/** Bundles entry points into a folder, together with the files that the server serves. */
const writeBundle = async (folder: string, { entryPoints, external }: BundleOptions): Promise<Metafile> => {
  const { metafile, warnings } = await build({
    absWorkingDir: root,
    entryPoints: { ...entryPoints, ...threadEntryPoint },
    outdir: folder,
    chunkNames: 'lib/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: [...external, 'pg-native'],
    banner: { js: banner },
    metafile: true,
    logLevel: 'error',
  })
  if (warnings.length > 0) throw new Error(`esbuild warns: ${warnings.map(({ text }) => text).join('; ')}`)
  const assets = { recursive: true, errorOnExist: true, force: false }
  for (const source of assetFolders) cpSync(join(api, source), join(folder, 'lib/assets'), assets)
  copyFileSync(methodReference, join(folder, 'lib/assets/sdk-methods.md'))
  return metafile
}

const writeServer = async (folder: string): Promise<Metafile> => {
  const metafile = await writeBundle(folder, { entryPoints: folderEntryPoints, external: [embeddedDatabase.name] })
  copyPackage(embeddedDatabase.name, embeddedDatabase.files, folder)
  const { name, license, engines } = readManifest(api)
  const { version } = readManifest(join(root, 'packages/server'))
  writeJson(join(folder, 'package.json'), { name, version, private: true, license, type: 'module', engines })
  writeJson(join(folder, 'node_modules/@flowpost/delivery/package.json'), {
    name: '@flowpost/delivery',
    version: readManifest(join(root, 'packages/delivery'))['version'],
    license,
    type: 'module',
    exports: './index.js',
  })
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  writeFileSync(join(folder, bundleMarker), thirdPartyNotices(metafile, root, [packageFolder(embeddedDatabase.name)]))
  return metafile
}

/**
 * Bundles the server, its commands and `@flowpost/delivery` into a folder. Replaces an earlier bundle, and keeps other files.
 * @returns the metafile of esbuild.
 * @throws Error if the folder contains files and no bundle.
 */
export const bundleServer = (folder: string): Promise<Metafile> => replaceBundle(folder, folderPaths, writeServer)

/**
 * Bundles the server and its commands into the `dist` folder of the published package. npm installs the packages that are
 * not bundled.
 * @throws Error if the folder contains anything other than a bundle, because npm would publish it.
 */
export const bundleServerPackage = async (folder: string): Promise<void> => {
  await replaceBundle(folder, packagePaths, async (target) => {
    const metafile = await writeBundle(target, { entryPoints: packageEntryPoints, external: packageDependencies })
    writeFileSync(join(target, bundleMarker), thirdPartyNotices(metafile, root, []))
  })
  const others = readdirSync(folder).filter((name) => !packagePaths.includes(name))
  if (others.length > 0) throw new Error(`${folder} contains files that would be published: ${others.join(', ')}. Move them elsewhere.`)
}
