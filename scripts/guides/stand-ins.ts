import { once } from 'node:events'
import { request as startRequest } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type DiscordServer, startDiscordServer } from '../../apps/api/test/support/discord-server.ts'
import { type LocalServer, startLocalServer } from '../../apps/api/test/support/local-server.ts'
import { type MailgunServer, startMailgunServer } from '../../apps/api/test/support/mailgun-server.ts'
import { type SmtpAuthServer, startSmtpAuthServer } from '../../apps/api/test/support/smtp-auth-server.ts'
import { startTeamsServer, type TeamsServer } from '../../apps/api/test/support/teams-server.ts'
import { createCertificate } from './certificate.ts'

/** Local servers that implement the providers' protocols. */
export interface StandIns extends AsyncDisposable {
  readonly discord: DiscordServer
  readonly teams: TeamsServer
  readonly mailgun: MailgunServer
  /** The mail server at `mail.example.com:587`. It supports STARTTLS. */
  readonly mail: SmtpAuthServer
  /** The bodies of the requests that Slack has accepted. */
  readonly slackPosts: readonly { readonly channel: string; readonly text: string }[]
  /** The bodies of the requests that Postmark has accepted. */
  readonly postmarkMessages: readonly { readonly To: string; readonly Subject: string }[]
  /** Environment variables that make a Node process connect to these servers instead of the real ones. */
  readonly env: Readonly<Record<string, string>>
}

const mailHost = 'mail.example.com'

const startSlack = async (posts: { channel: string; text: string }[]): Promise<LocalServer> =>
  startLocalServer(({ path, body }) => {
    if (path === '/api/chat.postMessage') posts.push(JSON.parse(body))
    return {
      status: 200,
      headers: { 'x-oauth-scopes': 'chat:write,channels:read,groups:read' },
      body: { ok: true, user: 'flowpost', team: 'Example', channel: { name: 'ops', is_member: true }, ts: `17.${posts.length}` },
    }
  })

const startPostmark = async (messages: { To: string; Subject: string }[]): Promise<LocalServer> =>
  startLocalServer(({ path, headers, body }) => {
    if (headers['x-postmark-server-token'] !== 'POSTMARK_API_TEST') return { status: 401, body: { ErrorCode: 10, Message: 'Bad token' } }
    if (path !== '/email') return { status: 404 }
    messages.push(JSON.parse(body))
    return { status: 200, body: { ErrorCode: 0, Message: 'Test job accepted', MessageID: '883953f4-6105-42a2-a16a-77a8eac79483' } }
  })

/** Starts an HTTPS server that forwards each request to the stand-in for the host that the request names. */
const startFront = async (tls: { readonly key: string; readonly cert: string }, servers: Readonly<Record<string, LocalServer>>) => {
  const front = createServer(tls, (request, response) => {
    const { method, headers, url = '' } = request
    const origin = servers[headers.host ?? '']?.url
    if (origin === undefined) return void response.writeHead(421).end()
    const forwarded = startRequest(new URL(url, origin), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    request.pipe(forwarded)
  }).listen(0, '127.0.0.1')
  await once(front, 'listening')
  return { port: (front.address() as AddressInfo).port, close: () => void front.close() }
}

/** Starts all stand-ins, and writes their certificate to `folder`. */
export const startStandIns = async (folder: string): Promise<StandIns> => {
  const slackPosts: { channel: string; text: string }[] = []
  const postmarkMessages: { To: string; Subject: string }[] = []
  const [discord, teams, mailgun] = [await startDiscordServer(), await startTeamsServer(), await startMailgunServer()]
  const servers: Readonly<Record<string, LocalServer>> = {
    'slack.com': await startSlack(slackPosts),
    'discord.com': discord,
    'prod-01.westeurope.logic.azure.com': teams,
    'api.mailgun.net': mailgun,
    'api.postmarkapp.com': await startPostmark(postmarkMessages),
  }
  const certificate = createCertificate(folder, [...Object.keys(servers), mailHost])
  const front = await startFront(certificate, servers)
  const mail = await startSmtpAuthServer(certificate)
  const ports = { ...Object.fromEntries(Object.keys(servers).map((host) => [`${host}:443`, front.port])), [`${mailHost}:587`]: mail.port }
  return {
    discord,
    teams,
    mailgun,
    mail,
    slackPosts,
    postmarkMessages,
    env: {
      STAND_IN_PORTS: JSON.stringify(ports),
      NODE_EXTRA_CA_CERTS: certificate.trustFile,
      NODE_OPTIONS: `--import=${new URL('./redirect-hosts.js', import.meta.url)}`,
    },
    [Symbol.asyncDispose]: async () => {
      front.close()
      for (const server of [...Object.values(servers), mail]) await server[Symbol.asyncDispose]()
    },
  }
}

/** Replaces the origin of a stand-in's URL with `https://` and the real provider's host. */
export const publicUrl = (url: string, host: string): string => {
  const { pathname, search } = new URL(url)
  return `https://${host}${pathname}${search}`
}
