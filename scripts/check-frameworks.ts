// Runs the examples from the README of @flowpost/testing in Jest, Vitest and `node:test` on every installed Node. Also compiles a
// program that uses the matchers' types. Both use the packed packages. The frameworks are installed from the registry for this
// run only. If the installation fails, the checks are skipped; in CI, they fail.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Project, projects, writeProjects } from './frameworks/projects.ts'
import { findNodes, versionOf } from './nodes.ts'
import { root } from './packages/published.ts'

const execute = promisify(execFile)
const run = async (command: string, args: readonly string[], cwd: string): Promise<string> => {
  const { stdout, stderr } = await execute(command, args, { cwd, timeout: 120_000, env: { ...process.env, NO_COLOR: '1', CI: 'true' } })
  return `${stdout}${stderr}`
}

const outputOf = (error: unknown): string => {
  const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
  return `${stdout}${stderr}`.trim() || (error instanceof Error ? error.message : String(error))
}

const satisfies = (actual: string, min = '0') => actual.localeCompare(min, 'en', { numeric: true }) >= 0

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'flowpost-frameworks-')))
let failed = false

const check = async (title: string, work: () => Promise<void>): Promise<void> => {
  try {
    await work()
    console.log(`ok      ${title}`)
  } catch (error) {
    failed = true
    console.log(`FAILED  ${title}\n${outputOf(error)}`)
  }
}

const pack = async (name: string): Promise<[string, string]> => {
  if (!existsSync(join(root, `packages/${name}/dist/index.cjs`))) throw new Error('Build the packages first.')
  const tarball = join(folder, `${name}.tgz`)
  await run('pnpm', ['pack', '--out', tarball], join(root, 'packages', name))
  return [`@flowpost/${name}`, tarball]
}

const runTest = (project: Project, node: string) => async (): Promise<void> => {
  const output = await run(node, project.args, join(folder, project.name))
  if (!project.passed.test(output)) throw new Error(`No test passed: ${output}`)
}

const compile =
  ({ name, compilerOptions = [] }: Project) =>
  async (): Promise<void> => {
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', 'false', '--module', 'nodenext', '--target', 'es2023']
    await run(join(root, 'node_modules/.bin/tsc'), [...options, ...compilerOptions, '--pretty', 'false', 'types.ts'], join(folder, name))
  }

try {
  writeProjects(folder, Object.fromEntries(await Promise.all(['client', 'testing'].map(pack))))
  // Runs pnpm in the root of the repository, because the `package.json` there sets the version of pnpm.
  await run('pnpm', ['--dir', folder, 'install', '--ignore-scripts', '--prefer-offline', '--no-frozen-lockfile'], root)

  const checks = projects.flatMap((project) => [
    ...findNodes()
      .filter((node) => satisfies(versionOf(node), project.minNode))
      .map((node) => () => check(`${project.title} on Node ${versionOf(node)}`, runTest(project, node))),
    ...('types.ts' in project.files ? [() => check(`types of the matchers, ${project.title}`, compile(project))] : []),
  ])
  const next = async (): Promise<void> => {
    for (let work = checks.shift(); work; work = checks.shift()) await work()
  }
  await Promise.all(Array.from({ length: availableParallelism() }, next))
} catch (error) {
  const isStrict = process.env['CI'] === 'true'
  failed ||= isStrict
  console.log(`${isStrict ? 'FAILED ' : 'skipped'} test frameworks: ${outputOf(error)}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0
