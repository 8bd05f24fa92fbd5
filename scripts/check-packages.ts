// Checks the published packages as their users get them. Packs each package and unpacks it with only its declared dependencies
// installed. Then runs publint, attw and size-limit, compiles with `strict` and `skipLibCheck: false`, and imports and requires
// every entry point.
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { findNodes, versionOf } from './nodes.ts'
import { type Manifest, publishedFolders, readManifest, root } from './packages/published.ts'

const bin = (name: string) => join(root, 'node_modules', '.bin', name)

const run = (command: string, args: readonly string[], cwd: string) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

const outputOf = (error: unknown) => {
  const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
  return `${stdout}${stderr}`.trim() || (error instanceof Error ? error.message : String(error))
}

let failed = false
const check = (title: string, work: () => unknown) => {
  try {
    work()
    console.log(`ok      ${title}`)
  } catch (error) {
    failed = true
    console.log(`FAILED  ${title}\n${outputOf(error)}`)
  }
}

const fileName = (packageName: string) => packageName.replace('@', '').replace('/', '-')

const link = (target: string, path: string) => {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(realpathSync(target), path, 'junction')
}

/** Packs a package and unpacks it into the `consumer` folder, with links to its declared dependencies only. */
const install = (folder: string, name: string, consumer: string) => {
  const tarball = join(consumer, `${fileName(name)}.tgz`)
  run('pnpm', ['pack', '--out', tarball], folder)
  const target = join(consumer, 'node_modules', name)
  mkdirSync(target, { recursive: true })
  run('tar', ['-xzf', tarball, '--strip-components=1', '-C', target], consumer)
  const manifest = readManifest(target)
  for (const dependency of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }))
    if (!dependency.startsWith('@flowpost/')) link(join(folder, 'node_modules', dependency), join(target, 'node_modules', dependency))
  return { folder, manifest, tarball }
}

const strict = ['--noEmit', '--strict', '--target', 'es2023', '--types', 'node', '--pretty', 'false']

const compile = (source: string, consumer: string) =>
  run(bin('tsc'), [...strict, '--ignoreConfig', '--skipLibCheck', 'false', '--module', 'nodenext', source], consumer)

// Up to TypeScript 5, `"module": "commonjs"` selects the module resolution `node10`, which ignores `exports`.
// The declarations of fast-check and msw do not compile in this way, so they are not checked.
const compileWithoutExports = (source: string, consumer: string) =>
  run(join(root, 'packages/openapi-clients/node_modules/.bin/tsc'), [...strict, '--skipLibCheck', '--module', 'commonjs', source], consumer)

/** Checks the license text and the field `repository`. npm compares that field with the package's provenance. */
const checkIdentity = (folder: string, target: string, { name, repository }: Manifest) => {
  const url = 'git+https://github.com/flowpost/flowpost.git'
  const directory = relative(root, folder)
  if (repository?.url !== url || repository.directory !== directory)
    throw new Error(`${name}: \`repository\` in package.json must have the url ${url} and the directory ${directory}`)
  const license = join(target, 'LICENSE')
  if (!existsSync(license) || readFileSync(license, 'utf8') !== readFileSync(join(root, 'LICENSE'), 'utf8'))
    throw new Error(`${name}: the package does not contain the LICENSE of the repository`)
}

const bytesOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)

/** Returns the names of a package and all its dependencies, keyed by their real folders. */
const installedWith = (name: string, from: string, found = new Map<string, string>()): Map<string, string> => {
  const places = [join(from, 'node_modules', name), join(from, '..', name), join(from, '..', '..', name)]
  const place = places.find((path) => existsSync(join(path, 'package.json')))
  if (place === undefined) throw new Error(`${name} is not installed next to ${from}`)
  const folder = realpathSync(place)
  if (found.has(folder)) return found
  found.set(folder, name)
  for (const dependency of Object.keys(readManifest(folder).dependencies ?? {})) installedWith(dependency, folder, found)
  return found
}

// Packages of the server, of databases and of providers. The mock must not depend on any of them.
const neverWithTesting =
  /^(?:express|pg|nodemailer|pino|jose|@mikro-orm\/.*|@electric-sql\/.*|@ts-rest\/.*|@flowpost\/(?:contract|delivery|domain|api))$/

/**
 * Prints the installed size of a package and its dependencies. Throws if the package is the mock and depends on a package
 * that `neverWithTesting` matches.
 */
const reportSize = (name: string, consumer: string) => {
  const found = installedWith(name, consumer)
  const others = [...found.values()].filter((dependency) => dependency !== name).sort()
  const own = bytesOf(join(consumer, 'node_modules', name, 'dist'))
  const all = [...found.keys()].reduce(
    (sum, folder) => sum + (folder.startsWith(consumer) ? bytesOf(join(folder, 'dist')) : bytesOf(folder)),
    0,
  )
  const kilobytes = (bytes: number) => `${Math.round(bytes / 1000).toLocaleString('en')} kB`
  const list = others.length > 0 ? `: ${others.join(', ')}` : ''
  console.log(`        ${name}: ${kilobytes(own)} alone, ${kilobytes(all)} with its ${others.length} dependencies${list}`)
  const unwanted = name === '@flowpost/testing' ? others.filter((dependency) => neverWithTesting.test(dependency)) : []
  if (unwanted.length > 0) throw new Error(`${name} must not depend on ${unwanted.join(', ')}`)
}

/** Checks the sizes of the unpacked package against its `.size-limit.json`, which contains paths relative to the file itself. */
const checkLimit = (folder: string, target: string) => {
  const config = join(target, '.size-limit.json')
  copyFileSync(join(folder, '.size-limit.json'), config)
  // Runs size-limit from the package's folder, because size-limit finds its plugins in the package's manifest.
  const limitTool = join(folder, 'node_modules', '.bin', 'size-limit')
  const entries: { name: string; size: number; sizeLimit: number }[] = JSON.parse(run(limitTool, ['--json', '--config', config], folder))
  for (const { name, size, sizeLimit } of entries)
    console.log(`        ${name}: ${size.toLocaleString('en')} of ${sizeLimit.toLocaleString('en')} bytes`)
}

/** Runs `flowpost validate` from the packed package on a TypeScript config file that imports the package. */
const validateConfig = (node: string, consumer: string) => {
  const flow = `{ source_type: 'smtp', target: 'ops@example.com', message_template: html\`<b>{{message}}</b>\` }`
  const config = `defineConfig({ project: { key: 'billing', name: 'Billing' }, flows: { 'ops-mail': ${flow} } })`
  writeFileSync(join(consumer, 'flowpost.config.ts'), `import { defineConfig, html } from '@flowpost/cli'\nexport default ${config}\n`)
  run(node, [join(consumer, 'node_modules/@flowpost/cli/dist/flowpost.js'), 'validate'], consumer)
}

/** Runs a program in a packed package. Throws if it does not print the version of the package. */
const checkVersion = (node: string, args: readonly string[], { name, version }: Manifest, consumer: string) => {
  const printed = run(node, args, consumer).trim()
  if (printed.split(' ').at(-1) !== version) throw new Error(`${name} ${version} prints ${printed} as its version.`)
}

// The SDK does not export its version, but the last line of an error summary contains it.
const printSdkVersion = `import { explain } from '@flowpost/client'; console.log(explain('').split('\\n').at(-1))`

const satisfies = (actual: string, range: string) => actual.localeCompare(range.replace('>=', ''), 'en', { numeric: true }) >= 0

const consumer = realpathSync(mkdtempSync(join(tmpdir(), 'flowpost-packages-')))
try {
  const installed = publishedFolders().map((folder) => install(folder, readManifest(folder).name, consumer))
  link(join(root, 'node_modules', '@types', 'node'), join(consumer, 'node_modules', '@types', 'node'))
  writeFileSync(join(consumer, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))

  for (const { folder, manifest, tarball } of installed) {
    const target = join(consumer, 'node_modules', manifest.name)
    check(`repository and LICENSE of ${manifest.name}`, () => checkIdentity(folder, target, manifest))
    check(`size of ${manifest.name}`, () => reportSize(manifest.name, consumer))
    if (existsSync(join(folder, '.size-limit.json'))) check(`size-limit ${manifest.name}`, () => checkLimit(folder, target))
    check(`publint ${manifest.name}`, () => run(bin('publint'), [tarball, '--strict'], consumer))
    const paths = Object.keys(manifest.exports).filter((path) => path !== './package.json')
    const commonJs = paths.filter((path) => 'require' in Object(manifest.exports[path]))
    for (const [profile, included] of [
      ['strict', commonJs],
      ['esm-only', paths.filter((path) => !commonJs.includes(path))],
    ] as const)
      if (included.length > 0)
        check(`attw ${manifest.name}, ${profile}: ${included.join(' ')}`, () =>
          run(bin('attw'), [tarball, '--profile', profile, '--entrypoints', ...included, '--no-color'], consumer),
        )

    const entries = paths.map((path) => `${manifest.name}${path.slice(1)}`)
    const source = `${fileName(manifest.name)}.ts`
    const lines = entries.map((entry, index) => `export * as entry${index} from '${entry}'\n`)
    writeFileSync(join(consumer, source), lines.join(''))
    check(`types of ${entries.join(', ')}`, () => compile(source, consumer))
    if (commonJs.length > 0) {
      const required = `${fileName(manifest.name)}.cts`
      writeFileSync(join(consumer, required), lines.filter((_, index) => commonJs.includes(paths[index] ?? '')).join(''))
      check(`types of ${manifest.name} in CommonJS`, () => compile(required, consumer))
      check(`types of ${entries.join(', ')} without \`exports\``, () => compileWithoutExports(source, consumer))
    }

    for (const node of findNodes().filter((path) => satisfies(versionOf(path), manifest.engines.node)))
      for (const entry of entries) {
        const name = JSON.stringify(entry)
        check(`import ${entry} on Node ${versionOf(node)}`, () =>
          run(node, ['--input-type=module', '-e', `await import(${name})`], consumer),
        )
        // Vitest cannot be loaded with `require`.
        if (entry.endsWith('/vitest')) continue
        check(`require ${entry} on Node ${versionOf(node)}`, () => run(node, ['--input-type=commonjs', '-e', `require(${name})`], consumer))
      }

    for (const node of findNodes().filter((path) => satisfies(versionOf(path), manifest.engines.node)))
      for (const [name, path] of Object.entries(manifest.bin ?? {})) {
        check(`run ${name} --help on Node ${versionOf(node)}`, () => run(node, [join(target, path), '--help'], consumer))
        // The commands of this package have no option `--version`.
        if (manifest.name === '@flowpost/testing') continue
        check(`run ${name} --version on Node ${versionOf(node)}`, () =>
          checkVersion(node, [join(target, path), '--version'], manifest, consumer),
        )
      }
    if (manifest.name === '@flowpost/client')
      check('version of @flowpost/client', () =>
        checkVersion(process.execPath, ['--input-type=module', '-e', printSdkVersion], manifest, consumer),
      )
    if (manifest.name === '@flowpost/cli')
      for (const node of findNodes()) check(`run flowpost validate on Node ${versionOf(node)}`, () => validateConfig(node, consumer))
  }
} finally {
  rmSync(consumer, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0
