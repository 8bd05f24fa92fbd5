// Runs the packed client on every installed Node, once with `import` and once with `require`, and on Deno, Bun and workerd.
// Deno, Bun and workerd are large, so they are installed from the registry for this run only. If the installation fails, the
// checks are skipped; in CI, they fail.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { findNodes, versionOf } from './nodes.ts'

const root = resolve(import.meta.dirname, '..')
const versions = { deno: '2.9.6', bun: '1.4.5', miniflare: '4.20260730.0' }
const execute = promisify(execFile)
const run = async (command: string, args: readonly string[], cwd: string): Promise<string> =>
  (await execute(command, args, { cwd, timeout: 300_000, env: { ...process.env, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' } })).stdout

/** Starts a server that responds with 503 to the first of every two requests, so the client must retry with the same idempotency key. */
const startServer = async () => {
  const keys: string[] = []
  const server = createServer((request, response) => {
    keys.push(String(request.headers['idempotency-key']))
    response.writeHead(keys.length % 2 === 1 ? 503 : 201, { 'Content-Type': 'application/json', 'X-Request-Id': 'r' })
    response.end(JSON.stringify({ id: 'prj_1', name: 'billing' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys, close: () => server.close() }
}

const folder = mkdtempSync(join(tmpdir(), 'flowpost-runtimes-'))
const server = await startServer()
let failed = false

/** Runs the client on one runtime. The client must create a project after one retry, and verify the signature of an event. */
const check = async (name: string, work: () => Promise<string>): Promise<void> => {
  const before = server.keys.length
  try {
    const printed = await work()
    const [first, second, ...more] = server.keys.slice(before)
    if (!printed.includes('created prj_1 at attempt 2, verified test.ping')) throw new Error(`Unexpected output: ${printed}`)
    if (first === undefined || first !== second || more.length > 0) throw new Error('The retry must send the same idempotency key.')
    console.log(`ok      @flowpost/client on ${name}`)
  } catch (error) {
    failed = true
    console.log(`FAILED  @flowpost/client on ${name}\n${error instanceof Error ? error.message : String(error)}`)
  }
}

const call = `const attempts = []
const flowpost = createFlowpost({ baseUrl: '${server.url}', apiKey: 'fp_x', random: () => 0, hooks: { onResult: (result) => attempts.push(result) } })
const project = await flowpost.projects.create({ name: 'billing' })
const body = '{"id":"evt_1","type":"test.ping"}'
const secret = 'whsec_' + 'A'.repeat(43) + '='
const event = await verifyEvent(body, new Headers(await signEvent(body, { id: 'evt_1', secret })), secret)
const line = 'created ' + project.id + ' at attempt ' + attempts.length + ', verified ' + event.type`

const workerProgram = `import { createFlowpost } from './client.js'
import { signEvent, verifyEvent } from './events.js'
export default { async fetch() { ${call}; return new Response(line) } }`

const workerHost = `import { Miniflare } from 'miniflare'
const worker = new Miniflare({ modules: true, modulesRules: [{ type: 'ESModule', include: ['**/*.js'] }], scriptPath: './worker.js', compatibilityDate: '2026-01-01' })
console.log(await (await worker.dispatchFetch('http://worker/')).text())
await worker.dispose()`

const binary = (pattern: string): string => {
  const [path] = globSync(pattern, { cwd: join(folder, 'node_modules') })
  if (path === undefined) throw new Error(`npm installed no binary for this platform: no file matches ${pattern}.`)
  return join(folder, 'node_modules', path)
}

try {
  if (!existsSync(join(root, 'packages/client/dist/index.js'))) throw new Error('Build the packages first.')
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'runtimes', private: true, type: 'module' }))
  await run(
    process.platform === 'win32' ? 'npx.cmd' : 'npx',
    ['--yes', 'pnpm', 'pack', '--out', join(folder, 'client.tgz')],
    join(root, 'packages/client'),
  )
  const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`)
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save']
  await run('npm', ['install', ...options, './client.tgz', ...packages], folder)

  const imports = `import { createFlowpost } from '@flowpost/client'\nimport { signEvent, verifyEvent } from '@flowpost/client/events'\n`
  writeFileSync(join(folder, 'program.mjs'), `${imports}${call}\nconsole.log(line)\n`)
  const required = `const { createFlowpost } = require('@flowpost/client')
const { signEvent, verifyEvent } = require('@flowpost/client/events')
void (async () => { ${call}; console.log(line) })()\n`
  writeFileSync(join(folder, 'program.cjs'), required)
  for (const node of findNodes()) {
    await check(`Node ${versionOf(node)}, imported`, () => run(node, ['program.mjs'], folder))
    await check(`Node ${versionOf(node)}, required`, () => run(node, ['program.cjs'], folder))
  }
  await check(`Deno ${versions.deno}`, () => run(binary('@deno/*/deno*'), ['run', '--allow-net', '--allow-env', 'program.mjs'], folder))
  await check(`Bun ${versions.bun}`, () => run(binary('@oven/bun-*/bin/bun*'), ['run', 'program.mjs'], folder))

  const worker = join(folder, 'worker')
  mkdirSync(worker)
  writeFileSync(join(worker, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(worker, 'worker.js'), workerProgram)
  copyFileSync(join(folder, 'node_modules/@flowpost/client/dist/index.js'), join(worker, 'client.js'))
  copyFileSync(join(folder, 'node_modules/@flowpost/client/dist/events.js'), join(worker, 'events.js'))
  writeFileSync(join(worker, 'host.mjs'), workerHost)
  await check(`workerd, by miniflare ${versions.miniflare}`, () => run(process.execPath, ['host.mjs'], worker))
} catch (error) {
  const isStrict = process.env['CI'] === 'true'
  failed ||= isStrict
  console.log(`${isStrict ? 'FAILED ' : 'skipped'} runtimes: ${error instanceof Error ? error.message : String(error)}`)
} finally {
  server.close()
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0
