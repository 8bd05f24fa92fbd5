// Bundles the server to a folder outside the repository and runs it there with an almost empty environment, as an operator
// would. Fails if the bundle needs anything that it does not contain.
import assert from 'node:assert/strict'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BundledServer, runBundled, startBundle } from './bundle/bundled-process.ts'
import { folderSize } from './bundle/folder-size.ts'
import { loadedPackages } from './bundle/loaded-packages.ts'
import { bundleServer } from './bundle/server-bundle.ts'

// Limits on the size of the bundle. When they were set, they were about a fifth above the actual sizes.
const maxMebibytes = 31
const maxFiles = 160

const roleModules = {
  worker: ['apps/api/src/main.ts', 'apps/api/src/database/postgres.ts', 'apps/api/src/start-worker.ts'],
  api: ['apps/api/src/main.ts', 'apps/api/src/database/postgres.ts', 'apps/api/src/start-api.ts'],
  keys: ['apps/api/src/cli/keys.ts', 'apps/api/src/database/postgres.ts'],
  migrate: ['apps/api/src/cli/migrate.ts', 'apps/api/src/database/postgres.ts'],
  backup: ['apps/api/src/cli/backup.ts', 'apps/api/src/backup/postgres-backup.ts'],
  restore: ['apps/api/src/cli/restore.ts', 'apps/api/src/backup/postgres-backup.ts'],
}
// Packages that the server loads only when needed: `pino-pretty` on a terminal, and the others if a trace collector is
// configured. `@opentelemetry/api` is not listed, because `prom-client` always loads it.
const optional = ['@opentelemetry/core', '@opentelemetry/sdk-trace', '@opentelemetry/exporter-trace-otlp-proto', 'pino-pretty']
const neverLoaded = {
  worker: [...optional, 'express', '@ts-rest/express', '@electric-sql/pglite', 'nodemailer', 'markdown-it'],
  api: [...optional, '@electric-sql/pglite', 'nodemailer', 'markdown-it'],
  keys: [...optional, 'express', '@electric-sql/pglite', 'nodemailer'],
  migrate: [...optional, 'express', '@electric-sql/pglite', 'nodemailer'],
  backup: [...optional, 'express', '@electric-sql/pglite', 'nodemailer', '@mikro-orm/core'],
  restore: [...optional, 'express', '@electric-sql/pglite', 'nodemailer', '@mikro-orm/core'],
}

// A provider that throws an error imported from `@flowpost/delivery`. The server reports the code of the error only if the
// provider and the server use the same error class.
const providerFile = `import { DeliveryError, defineProvider, z } from '@flowpost/delivery'
const reject = async (): Promise<never> => {
  throw new DeliveryError({ kind: 'credential', code: 'not_today', detail: 'Not today.' })
}
export const pigeon = defineProvider({
  id: 'pigeon',
  kind: 'chat',
  parseTarget: (target) => ({ ok: true, target, key: target }),
  escape: (value) => value,
  limits: { textCharacters: 100 },
  settings: z.strictObject({}),
  secrets: z.strictObject({}),
  placeholderSettings: {},
  compose: ({ target, content }) => ({ headers: [], text: content.text, raw: content.text, envelope: { to: target } }),
  send: reject,
  check: reject,
})
`

const caller =
  (server: BundledServer, key: string) =>
  async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${server.url}/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    assert.ok(response.ok, `${method} ${path} returned ${response.status}: ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }

/** Creates a project and a flow, and sends a message that is captured. Returns the id of the project. */
const sendFirstMessage = async (call: ReturnType<typeof caller>): Promise<string> => {
  const project = await call('POST', 'settings/projects', { name: 'billing' })
  const flow = { name: 'Operations by mail', source_type: 'smtp', target: 'ops@example.com' }
  await call('POST', `settings/projects/${project['id']}/flows`, flow)
  const sent = await call('POST', 'notifications', { project_id: project['id'], subject: 'Invoice 42', message: 'It is ready.' })
  const completed = await call('GET', `notifications/${sent['id']}?wait=10`)
  assert.partialDeepStrictEqual(completed, { deliveries: [{ status: 'sent', attempts: [{ outcome: 'captured' }] }] })
  return String(project['id'])
}

/** Opens every page, and every file that a page links to. The files come from `lib/assets`. */
const openPages = async (server: BundledServer): Promise<void> => {
  for (const page of ['', 'docs', 'docs/flows', 'docs/problems/not_found', 'outbox', 'openapi.json', 'readyz', 'livez', 'metrics']) {
    const response = await fetch(`${server.url}/${page}`, { headers: { accept: 'text/html, */*;q=0.5' } })
    assert.equal(response.status, 200, `/${page} returned ${response.status}`)
    const text = await response.text()
    if (page === 'docs/flows') assert.match(text, /data-language="typescript"/, '/docs/flows has no example of the SDK')
    const linked = page.includes('.') ? [] : text.matchAll(/(?:href|src)="([^"]+\.(?:css|js|svg))"/g)
    const files = [...linked].map(([, path]) => new URL(path ?? '', response.url))
    assert.ok(files.length >= (page.startsWith('docs') || page === 'outbox' ? 3 : 0), `/${page} links to ${files.length} files`)
    for (const file of files) assert.equal((await fetch(file)).status, 200, `${file} is missing`)
  }
}

const useCustomProvider = async (call: ReturnType<typeof caller>, project: string): Promise<void> => {
  const settings = `settings/projects/${project}`
  await call('PUT', `${settings}/integrations/pigeon`, { settings: {}, secrets: {} })
  const flow = await call('POST', `${settings}/flows`, { name: 'Pigeons', source_type: 'pigeon', target: 'north' })
  const findings = await call('POST', `${settings}/flows/${flow['id']}/check`)
  assert.partialDeepStrictEqual(findings, { ok: false, checks: [{ code: 'not_today' }] })
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'flowpost-bundle-')))
const bundle = join(folder, 'server')
const work = { cwd: folder, env: { PORT: '0' } }
const running: BundledServer[] = []
const start = async (env: Readonly<Record<string, string>> = {}): Promise<BundledServer> => {
  const server = await startBundle(bundle, { cwd: folder, env: { ...work.env, ...env } })
  running.push(server)
  return server
}
const stop = async (server: BundledServer): Promise<void> => {
  running.splice(running.indexOf(server), 1)
  assert.equal(await server.stop(), 0, 'the server did not exit with 0 on SIGTERM')
}

try {
  const metafile = await bundleServer(bundle)
  for (const [role, modules] of Object.entries(roleModules)) {
    const loaded = loadedPackages(metafile, modules)
    const unwanted = neverLoaded[role as keyof typeof neverLoaded].filter((name) => loaded.has(name))
    assert.deepEqual(unwanted, [], `${role} loads packages that it does not need: ${unwanted.join(', ')}`)
  }

  assert.match(await runBundled(bundle, 'migrate.js', [], work), /^applied \d{14}-/)
  assert.match(await runBundled(bundle, 'keys.js', ['--help'], work), /^ {2}node bin\/keys\.js create /m)
  const first = await start({ FLOWPOST_OUTBOX: 'local' })
  assert.ok(first.firstKey, 'the first start printed no key')
  await openPages(first)
  const project = await sendFirstMessage(caller(first, first.firstKey))
  const scopes = ['--scope', 'settings:read', '--scope', 'settings:write']
  const createdKey = await runBundled(bundle, 'keys.js', ['create', '--user', 'local', ...scopes], work)
  await runBundled(bundle, 'secrets.js', ['rotate'], work)
  await stop(first)
  assert.match(await runBundled(bundle, 'migrate.js', ['--status'], work), /This version can run on the database\.$/m)

  writeFileSync(join(folder, 'pigeon.ts'), providerFile)
  const second = await start({ FLOWPOST_PROVIDERS: 'pigeon.ts' })
  assert.equal(second.firstKey, undefined, 'a later start created a key')
  await useCustomProvider(caller(second, createdKey.trim()), project)
  await runBundled(bundle, 'backup.js', ['backup'], work)
  await stop(second)
  await runBundled(bundle, 'restore.js', ['backup', '--replace'], work)
  assert.match(await runBundled(bundle, 'keys.js', ['list'], work), /local/)

  const { files, mebibytes } = folderSize(bundle)
  writeFileSync(join(bundle, '.env'), 'PORT=0\n')
  await bundleServer(bundle)
  assert.equal(folderSize(bundle).files, files + 1, 'The second bundle must replace the first and keep the file .env.')
  assert.match(await runBundled(bundle, 'keys.js', ['list'], work), /local/)
  const seconds = ({ startedInMs }: BundledServer) => (startedInMs / 1000).toFixed(2)
  console.log(`${mebibytes.toFixed(1)} of ${maxMebibytes} MiB, ${files} of ${maxFiles} files`)
  console.log(`ready in ${seconds(first)} s at the first start, in ${seconds(second)} s at a later start`)
  assert.ok(mebibytes <= maxMebibytes && files <= maxFiles, 'The bundle is larger than its limits.')
} finally {
  for (const server of running) await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
