// Checks the published packages as their users get them: packed, unpacked beside nothing but their declared dependencies,
// linted by publint and attw, type-checked under `strict` with `skipLibCheck: false`, then imported and required.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports: Record<string, unknown>
  readonly engines: { readonly node: string }
  readonly dependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
}

const root = resolve(import.meta.dirname, '..')
const bin = (name: string) => join(root, 'node_modules', '.bin', name)
const readManifest = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

const run = (command: string, args: readonly string[], cwd: string) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

const outputOf = (error: unknown) => {
  const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
  return `${stdout}${stderr}`.trim() || (error instanceof Error ? error.message : String(error))
}

let failed = false
const check = (what: string, work: () => unknown) => {
  try {
    work()
    console.log(`ok      ${what}`)
  } catch (error) {
    failed = true
    console.log(`FAILED  ${what}\n${outputOf(error)}`)
  }
}

const fileName = (packageName: string) => packageName.replace('@', '').replace('/', '-')

const link = (target: string, path: string) => {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(realpathSync(target), path, 'junction')
}

/** Packs a package and unpacks it into the consumer, with links to the dependencies that it declares and to no others. */
const install = (folder: string, name: string, consumer: string) => {
  const tarball = join(consumer, `${fileName(name)}.tgz`)
  run('pnpm', ['pack', '--out', tarball], folder)
  const target = join(consumer, 'node_modules', name)
  mkdirSync(target, { recursive: true })
  run('tar', ['-xzf', tarball, '--strip-components=1', '-C', target], consumer)
  const manifest = readManifest(target)
  for (const dependency of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }))
    if (!dependency.startsWith('@flowpost/')) link(join(folder, 'node_modules', dependency), join(target, 'node_modules', dependency))
  return { manifest, tarball }
}

// The declarations of @ts-rest/core 3.53.0-rc.1 name types that only zod 3 had. Whoever uses the contract needs `skipLibCheck`.
const knownFault = /[/\\]@ts-rest[/\\]core[/\\]/

const compile = (source: string, consumer: string) => {
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', 'false', '--module', 'nodenext', '--target', 'es2023']
  try {
    run(bin('tsc'), [...options, '--types', 'node', '--pretty', 'false', source], consumer)
  } catch (error) {
    const faults = outputOf(error)
      .split('\n')
      .filter((line) => !/^\s/.test(line) && !knownFault.test(line))
    if (faults.length > 0) throw new Error(faults.join('\n'))
  }
}

const version = (node: string) => run(node, ['--version'], root).trim().slice(1)
const satisfies = (actual: string, range: string) => actual.localeCompare(range.replace('>=', ''), 'en', { numeric: true }) >= 0

/** The Node of this repository, and the machine's own when it is another: packages promise to run on older ones. */
const nodes = () => {
  const machine = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
    .find((path) => existsSync(path))
  return [process.execPath, ...(machine && version(machine) !== process.versions.node ? [machine] : [])]
}

const consumer = realpathSync(mkdtempSync(join(tmpdir(), 'flowpost-packages-')))
try {
  const folders = globSync('packages/*', { cwd: root })
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(join(folder, 'package.json')) && readManifest(folder).private !== true)
  const installed = folders.map((folder) => install(folder, readManifest(folder).name, consumer))
  link(join(root, 'node_modules', '@types', 'node'), join(consumer, 'node_modules', '@types', 'node'))
  writeFileSync(join(consumer, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))

  for (const { manifest, tarball } of installed) {
    check(`publint ${manifest.name}`, () => run(bin('publint'), [tarball, '--strict'], consumer))
    check(`attw ${manifest.name}`, () => run(bin('attw'), [tarball, '--profile', 'esm-only', '--no-color'], consumer))

    const entries = Object.keys(manifest.exports)
      .filter((path) => path !== './package.json')
      .map((path) => `${manifest.name}${path.slice(1)}`)
    const source = `${fileName(manifest.name)}.ts`
    const lines = entries.map((entry, index) => `export * as entry${index} from '${entry}'`)
    writeFileSync(join(consumer, source), `${lines.join('\n')}\n`)
    check(`types of ${entries.join(', ')}`, () => compile(source, consumer))

    for (const node of nodes().filter((path) => satisfies(version(path), manifest.engines.node)))
      for (const entry of entries) {
        const name = JSON.stringify(entry)
        check(`import ${entry} on Node ${version(node)}`, () => run(node, ['--input-type=module', '-e', `await import(${name})`], consumer))
        // vitest itself refuses to be required.
        if (!entry.endsWith('/vitest'))
          check(`require ${entry} on Node ${version(node)}`, () => run(node, ['--input-type=commonjs', '-e', `require(${name})`], consumer))
      }
  }
} finally {
  rmSync(consumer, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0
