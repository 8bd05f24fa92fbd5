import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { deploymentProviders } from '../src/providers.ts'
import { dump } from './support/direct-database.ts'
import { postgresBinaries } from './support/private-postgres.ts'
import { startProviderServers } from './support/provider-servers.ts'
import { addFlow, send } from './support/resources.ts'
import { loopbackEgress, smtpSettingsFor, startSmtpAuthServer } from './support/smtp-auth-server.ts'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const run = promisify(execFile)

const createSecret = () => randomBytes(24).toString('hex')

/** Returns a secret as plain text, URL-encoded, in hexadecimal, and in base64 at each offset within a longer text. */
const encodingsOf = (secret: string): string[] => {
  const fragments = [0, 1, 2].map((shift) => {
    const base64 = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]).toString('base64')
    return base64.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + secret.length) * 8) / 6))
  })
  const urlSafe = fragments.map((fragment) => fragment.replaceAll('+', '-').replaceAll('/', '_'))
  return [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex'), ...fragments, ...urlSafe]
}

const findExposures = (texts: readonly string[], secrets: readonly string[]): string[] =>
  secrets.flatMap((secret) =>
    encodingsOf(secret).flatMap((encoding) => texts.filter((text) => text.includes(encoding)).map((text) => text.slice(0, 300))),
  )

/** Waits until every delivery of the user has had an attempt and none is in progress. */
const waitForAttempts = async (server: TestServer): Promise<{ status: string }[]> => {
  for (;;) {
    const { json } = await server.request('GET', '/v1/notifications?limit=1000')
    const deliveries = json.data.flatMap((notification: { deliveries: object[] }) => notification.deliveries)
    if (deliveries.every(({ status }: { status: string }) => !['queued', 'sending'].includes(status))) return deliveries
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

it('no secret of any provider appears in the trace log, the database, its files or a response', async () => {
  await using smtp = await startSmtpAuthServer()
  await using apis = await startProviderServers()
  const encryptionKey = randomBytes(32).toString('base64')
  const deploymentSecrets = { password: `ä/${createSecret()}`, apiKey: createSecret(), token: `xoxb-${createSecret()}` }
  await using server = await startTestServer({
    database: await createTestDatabase(),
    env: {
      FLOWPOST_ENCRYPTION_KEY: `k1:${encryptionKey}`,
      FLOWPOST_CAPTURE: 'off',
      LOG_LEVEL: 'trace',
      FLOWPOST_SMTP_URL: `smtp://shared:${encodeURIComponent(deploymentSecrets.password)}@127.0.0.1:${smtp.port}`,
      FLOWPOST_EMAIL_FROM: 'deployment@example.com',
      FLOWPOST_MAILGUN_API_KEY: deploymentSecrets.apiKey,
      FLOWPOST_MAILGUN_DOMAIN: 'mg.example.com',
      FLOWPOST_SLACK_TOKEN: deploymentSecrets.token,
    },
    providers: apis.providers,
    egress: { ...loopbackEgress, plainHttp: true, httpPorts: 'any' },
  })
  const signingSecret = randomBytes(32).toString('base64')
  const projectSecrets = {
    password: createSecret(),
    apiKey: createSecret(),
    token: createSecret(),
    discord: createSecret(),
    teams: createSecret(),
    hook: createSecret(),
    signingSecret,
  }
  const integrations: Record<string, { settings: object; secrets: object; target: string }> = {
    smtp: { settings: smtpSettingsFor(smtp), secrets: { password: projectSecrets.password }, target: 'open-marker@example.com' },
    mailgun: {
      settings: { domain: 'mg.example.com', from: 'b@example.com' },
      secrets: { api_key: projectSecrets.apiKey },
      target: 'ops@example.com',
    },
    slack: { settings: {}, secrets: { token: `xoxb-${projectSecrets.token}` }, target: 'C024BE91L' },
    discord: { settings: {}, secrets: { urls: { ops: `${apis.url}/api/webhooks/1/${projectSecrets.discord}` } }, target: 'ops' },
    teams: { settings: {}, secrets: { urls: { ops: `${apis.url}/workflow/${projectSecrets.teams}` } }, target: 'ops' },
    webhook: {
      settings: {},
      secrets: { urls: { ops: `${apis.url}/hook/${projectSecrets.hook}` }, signing_secret: `whsec_${signingSecret}` },
      target: 'ops',
    },
  }
  // This test must cover every provider, including new ones.
  for (const { id } of deploymentProviders(readConfig({}).config)) expect(Object.keys(integrations)).toContain(id)
  const project = (await server.request('POST', '/v1/settings/projects', { json: { name: 'secrecy' } })).json.id
  const base = `/v1/settings/projects/${project}`
  const responses: string[] = []
  const request: TestServer['request'] = async (...args) => {
    const response = await server.request(...args)
    responses.push(response.text)
    return response
  }

  const flows: string[] = []
  const sharedProject = (await server.request('POST', '/v1/settings/projects', { json: { name: 'shared' } })).json.id
  const sharedFlows: string[] = []
  for (const [source_type, target] of [
    ['smtp', 'ops@example.com'],
    ['mailgun', 'ops@example.com'],
    ['slack', 'C024BE91M'],
  ] as const)
    sharedFlows.push((await addFlow(server, sharedProject, { source_type, target })).id)
  for (const [sourceType, { settings, secrets, target }] of Object.entries(integrations)) {
    const response = await request('PUT', `${base}/integrations/${sourceType}`, { json: { settings, secrets } })
    expect(response.status, response.text).toBe(200)
    flows.push((await addFlow(server, project, { source_type: sourceType, target })).id)
  }
  const sendAndCheck = async () => {
    for (const id of flows) await request('POST', `${base}/flows/${id}/check`)
    for (const id of sharedFlows) await request('POST', `/v1/settings/projects/${sharedProject}/flows/${id}/check`)
    await send(server, project)
    await send(server, sharedProject)
    const deliveries = await waitForAttempts(server)
    await request('GET', '/v1/notifications?limit=1000')
    return deliveries.map(({ status }) => status)
  }
  expect(await sendAndCheck()).toEqual(Array(9).fill('sent'))
  expect(smtp.received.map(({ password }) => password).sort()).toEqual([projectSecrets.password, deploymentSecrets.password].sort())
  expect(apis.requestedPaths.join(' ')).toContain(projectSecrets.teams)

  // Now the providers reject every request and return its content. Invalid requests contain a secret too.
  apis.rejectAll()
  smtp.acceptsPassword = () => false
  expect(await sendAndCheck()).toContain('failed')
  await request('PUT', `${base}/integrations/slack`, { json: { settings: { x: 1 }, secrets: { token: `${projectSecrets.token} ` } } })
  await request('PUT', `${base}/integrations/slack`, {
    body: `{"settings":{},"secrets":{"token":"${projectSecrets.token}"`,
    headers: { 'Content-Type': 'application/json' },
  })
  await request('GET', `${base}/integrations`)
  await request('GET', `${base}/flows`)
  await server.stop()

  const secrets = [...Object.values(projectSecrets), ...Object.values(deploymentSecrets), server.keys.alice, encryptionKey]
  const rows = await dump(server.database)
  const logged = server.logged
  expect(logged.some((line) => line.includes('"level":"error"'))).toBe(false)
  // Proves that `findExposures` finds a text that is present.
  expect(findExposures(rows, ['open-marker@example.com'])).not.toHaveLength(0)
  expect(rows.some((row) => row.startsWith('public.message_bodies '))).toBe(true)
  expect(rows.filter((row) => row.startsWith('public.integrations ') && row.includes('\\x01'))).toHaveLength(6)
  expect(logged.length).toBeGreaterThan(20)
  expect(findExposures(responses, ['C024BE91L'])).not.toHaveLength(0)

  expect(findExposures(rows, secrets)).toEqual([])
  expect(findExposures(logged, secrets)).toEqual([])
  expect(findExposures(responses, secrets)).toEqual([])
  const binaries = postgresBinaries()
  if (server.database.url !== undefined && binaries !== undefined) {
    const { stdout } = await run(join(binaries, 'pg_dump'), [server.database.url], { maxBuffer: 256 * 1024 * 1024 })
    expect(findExposures([stdout], ['open-marker@example.com'])).not.toHaveLength(0)
    expect(findExposures([stdout], secrets)).toEqual([])
  }
  if (server.database.url !== undefined) return
  const files = await readdir(server.database.dataDir, { recursive: true, withFileTypes: true })
  for (const file of files.filter((entry) => entry.isFile()))
    expect(findExposures([await readFile(join(file.parentPath, file.name), 'latin1')], secrets)).toEqual([])
})
