// Runs the steps of the Dockerfile without a container engine. Builds from a copy of the files that the build context would
// contain, and starts the server in a folder that it cannot write to. Does not check the base images or the isolation of a
// container.
import assert from 'node:assert/strict'
import { execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dockerfileSteps, isIgnored } from './bundle/dockerfile.ts'
import { root } from './bundle/server-bundle.ts'

// If root runs this script, the server runs as the user `nobody`. Otherwise, it runs as the current user.
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const readyTimeoutMs = 60_000
const folder = mkdtempSync(join(tmpdir(), 'flowpost-image-'))
const [source, bundle, data] = [join(folder, 'source'), join(folder, 'bundle'), join(folder, 'data')] as const
const { build, env, healthcheck, command } = dockerfileSteps(readFileSync(join(root, 'Dockerfile'), 'utf8'))

const copyContext = (): void => {
  const ignored = isIgnored(readFileSync(join(root, '.dockerignore'), 'utf8'))
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  for (const file of files.split('\0').filter((name) => name !== '' && !ignored(name))) cpSync(join(root, file), join(source, file))
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

const run = ([file = '', ...args]: readonly string[], options: SpawnOptions) => {
  const child = spawn(file === 'node' ? process.execPath : file, args, { cwd: bundle, stdio: 'inherit', ...user, ...options })
  return { child, exited: once(child, 'exit').then(([code]) => code as number | null) }
}

const forbidWrites = (path: string): void => {
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) chmodSync(join(path, name), 0o555)
  chmodSync(path, 0o555)
}

const sendMessage = async (url: string, key: string): Promise<void> => {
  const call = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}/v1/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await response.text()
    assert.ok(response.ok, `${method} ${path} returned ${response.status}: ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }
  const { id } = await call('POST', 'settings/projects', { name: 'billing' })
  await call('POST', `settings/projects/${id}/flows`, { name: 'Operations', source_type: 'smtp', target: 'ops@example.com' })
  const sent = await call('POST', 'notifications', { project_id: id, subject: 'Invoice 42', message: 'It is ready.' })
  assert.partialDeepStrictEqual(await call('GET', `notifications/${sent['id']}?wait=10`), { status: 'sent' })
}

try {
  copyContext()
  for (const step of build) {
    const { exited } = run(['bash', '-euc', step.replaceAll('/bundle', bundle)], { cwd: source, uid: undefined, gid: undefined })
    assert.equal(await exited, 0, `RUN ${step} failed.`)
  }
  rmSync(source, { recursive: true })
  forbidWrites(bundle)
  mkdirSync(data, { mode: 0o700 })
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid)
  chmodSync(folder, 0o755)
  const port = await freePort()
  const key = `fp_${'k'.repeat(32)}`
  const variables = { ...env, FLOWPOST_DATA_DIR: data, PORT: String(port) }
  const { child, exited } = run(command, { env: { ...variables, FLOWPOST_CAPTURE: 'on', FLOWPOST_BOOTSTRAP_KEYS: `alice:${key}` } })
  const deadlineMs = Date.now() + readyTimeoutMs
  while ((await run(healthcheck, { env: variables }).exited) !== 0) {
    assert.ok(child.exitCode === null && Date.now() < deadlineMs, 'The health check did not succeed in time.')
    await sleep(500)
  }
  await sendMessage(`http://127.0.0.1:${port}`, key)
  child.kill('SIGTERM')
  assert.equal(await exited, 0, 'The server did not exit with 0 on SIGTERM.')
  assert.notEqual(await run(healthcheck, { env: variables }).exited, 0, 'The health check must fail when the server has stopped.')
  console.log('The steps in the Dockerfile work: the server started in a read-only folder, sent a message and stopped.')
} finally {
  if (process.getuid?.() !== 0) execFileSync('chmod', ['-R', 'u+w', folder])
  rmSync(folder, { recursive: true, force: true })
}
