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
import { startTestServer, type TestServer } from './support/test-server.ts'

const run = promisify(execFile)

const marker = () => randomBytes(24).toString('hex')

/** The forms in which a secret might turn up: as it is, as in a URL, in hexadecimal, and in base64 wherever it begins in a longer text. */
const formsOf = (secret: string): string[] => {
  const cores = [0, 1, 2].map((shift) => {
    const base64 = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]).toString('base64')
    return base64.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + secret.length) * 8) / 6))
  })
  const urlSafe = cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'))
  return [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex'), ...cores, ...urlSafe]
}

const found = (texts: readonly string[], secrets: readonly string[]): string[] =>
  secrets.flatMap((secret) =>
    formsOf(secret).flatMap((form) => texts.filter((text) => text.includes(form)).map((text) => text.slice(0, 300))),
  )

/** Waits until every delivery of the user has had an attempt and is not under way. */
const untilQuiet = async (server: TestServer): Promise<{ status: string }[]> => {
  for (;;) {
    const { json } = await server.request('GET', '/v1/notifications?limit=1000')
    const deliveries = json.data.flatMap((each: { deliveries: object[] }) => each.deliveries)
    if (deliveries.every(({ status }: { status: string }) => !['queued', 'sending'].includes(status))) return deliveries
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

it('no secret of any provider is in the log at trace, in a dump of the whole database, in its files, or in an answer', async () => {
  await using smtp = await startSmtpAuthServer()
  await using apis = await startProviderServers()
  const encryptionKey = randomBytes(32).toString('base64')
  const deployments = { password: `ä/${marker()}`, apiKey: marker(), token: `xoxb-${marker()}` }
  await using server = await startTestServer({
    env: {
      FLOWPOST_ENCRYPTION_KEY: `k1:${encryptionKey}`,
      FLOWPOST_CAPTURE: 'off',
      LOG_LEVEL: 'trace',
      FLOWPOST_SMTP_URL: `smtp://shared:${encodeURIComponent(deployments.password)}@127.0.0.1:${smtp.port}`,
      FLOWPOST_EMAIL_FROM: 'deployment@example.com',
      FLOWPOST_MAILGUN_API_KEY: deployments.apiKey,
      FLOWPOST_MAILGUN_DOMAIN: 'mg.example.com',
      FLOWPOST_SLACK_TOKEN: deployments.token,
    },
    providers: apis.providers,
    egress: { ...loopbackEgress, plainHttp: true, httpPorts: 'any' },
  })
  const signing = randomBytes(32).toString('base64')
  const marks = {
    password: marker(),
    apiKey: marker(),
    token: marker(),
    discord: marker(),
    teams: marker(),
    hook: marker(),
    other: marker(),
    signing,
  }
  const integrations: Record<string, { settings: object; secrets: object; target: string }> = {
    smtp: { settings: smtpSettingsFor(smtp), secrets: { password: marks.password }, target: 'open-marker@example.com' },
    mailgun: {
      settings: { domain: 'mg.example.com', from: 'b@example.com' },
      secrets: { api_key: marks.apiKey },
      target: 'ops@example.com',
    },
    slack: { settings: {}, secrets: { token: `xoxb-${marks.token}` }, target: 'C024BE91L' },
    discord: { settings: {}, secrets: { urls: { ops: `${apis.url}/api/webhooks/1/${marks.discord}` } }, target: 'ops' },
    teams: { settings: {}, secrets: { urls: { ops: `${apis.url}/workflow/${marks.teams}` } }, target: 'ops' },
    webhook: {
      settings: {},
      secrets: { urls: { ops: `${apis.url}/hook/${marks.hook}` }, signing_secret: `whsec_${signing}` },
      target: 'ops',
    },
  }
  // A provider that is added has to be covered here.
  for (const { id } of deploymentProviders(readConfig({}).config)) expect(Object.keys(integrations)).toContain(id)
  const project = (await server.request('POST', '/v1/settings/projects', { json: { name: 'secrecy' } })).json.id
  const base = `/v1/settings/projects/${project}`
  const answers: string[] = []
  const request: TestServer['request'] = async (...given) => {
    const answer = await server.request(...given)
    answers.push(answer.text)
    return answer
  }

  const flows: string[] = []
  const sharing = (await server.request('POST', '/v1/settings/projects', { json: { name: 'sharing' } })).json.id
  const sharingFlows: string[] = []
  for (const [source_type, target] of [
    ['smtp', 'ops@example.com'],
    ['mailgun', 'ops@example.com'],
    ['slack', 'C024BE91M'],
  ] as const)
    sharingFlows.push((await addFlow(server, sharing, { source_type, target })).id)
  for (const [sourceType, { settings, secrets, target }] of Object.entries(integrations)) {
    const put = await request('PUT', `${base}/integrations/${sourceType}`, { json: { settings, secrets } })
    expect(put.status, put.text).toBe(200)
    flows.push((await addFlow(server, project, { source_type: sourceType, target })).id)
  }
  const sendAndCheck = async () => {
    for (const id of flows) await request('POST', `${base}/flows/${id}/check`)
    for (const id of sharingFlows) await request('POST', `/v1/settings/projects/${sharing}/flows/${id}/check`)
    await send(server, project)
    await send(server, sharing)
    const deliveries = await untilQuiet(server)
    await request('GET', '/v1/notifications?limit=1000')
    return deliveries.map(({ status }) => status)
  }
  expect(await sendAndCheck()).toEqual(Array(9).fill('sent'))
  expect(smtp.received.map(({ password }) => password).sort()).toEqual([marks.password, deployments.password].sort())
  expect(apis.asked.join(' ')).toContain(marks.teams)

  // Now everything is refused, and the refusals repeat what was sent. What is not understood or valid holds a secret too.
  apis.refuse()
  smtp.accept = () => false
  expect(await sendAndCheck()).toContain('failed')
  await request('PUT', `${base}/integrations/slack`, { json: { settings: { x: 1 }, secrets: { token: `${marks.token} ` } } })
  await request('PUT', `${base}/integrations/slack`, {
    body: `{"settings":{},"secrets":{"token":"${marks.token}"`,
    headers: { 'Content-Type': 'application/json' },
  })
  await request('GET', `${base}/integrations`)
  await request('GET', `${base}/flows`)
  await server.stop()

  const secrets = [...Object.values(marks), ...Object.values(deployments), server.keys.alice, encryptionKey]
  const rows = await dump(server.database)
  const logged = server.logged
  expect(logged.some((line) => line.includes('"level":"error"'))).toBe(false)
  // The search is worth something only where it would find what is there.
  expect(found(rows, ['open-marker@example.com'])).not.toHaveLength(0)
  expect(rows.some((row) => row.startsWith('public.message_bodies '))).toBe(true)
  expect(rows.filter((row) => row.startsWith('public.integrations ') && row.includes('\\x01'))).toHaveLength(6)
  expect(logged.length).toBeGreaterThan(20)
  expect(found(answers, ['C024BE91L'])).not.toHaveLength(0)

  expect(found(rows, secrets)).toEqual([])
  expect(found(logged, secrets)).toEqual([])
  expect(found(answers, secrets)).toEqual([])
  const pgDump = postgresBinaries()
  if (server.database.url !== undefined && pgDump !== undefined) {
    const { stdout } = await run(join(pgDump, 'pg_dump'), [server.database.url], { maxBuffer: 256 * 1024 * 1024 })
    expect(found([stdout], ['open-marker@example.com'])).not.toHaveLength(0)
    expect(found([stdout], secrets)).toEqual([])
  }
  if (server.database.url !== undefined) return
  const files = await readdir(server.database.dataDir, { recursive: true, withFileTypes: true })
  for (const file of files.filter((each) => each.isFile()))
    expect(found([await readFile(join(file.parentPath, file.name), 'latin1')], secrets)).toEqual([])
})
