import type { Behaviour, ConformanceCase, HttpReply, ReceivedMessage, ReceivedRequest } from '../src/conformance.ts'
import { httpConformanceCase } from '../src/conformance.ts'
import { createDiscord, createMailgun, createSlack, createTeams, smtp, webhook } from '../src/index.ts'
import { readMail } from './read-mail.ts'
import { type Script, startScriptedSmtpServer } from './scripted-smtp-server.ts'

const badAddresses = [
  'ada',
  '@example.com',
  'ada@',
  'a@example.com,b@example.com',
  'Ada <ada@example.com>',
  'ada@localhost',
  'a b@example.com',
]

const json = (status: number, body: unknown, headers = {}): HttpReply => ({ status, body, headers })

export function mailgunCase(): Promise<ConformanceCase> {
  const field = (request: ReceivedRequest, name: string) =>
    new RegExp(`name="${name}"\\r\\n\\r\\n([\\s\\S]*?)\\r\\n--`).exec(request.body)?.[1] ?? ''
  const domain = { domain: { name: 'mg.example.com', state: 'active' } }
  const echo = ({ headers }: ReceivedRequest) =>
    `Forbidden ${headers.authorization} ${Buffer.from(`${headers.authorization}`.slice(6), 'base64')}`
  return httpConformanceCase(
    (url) => ({
      provider: createMailgun({ apiUrl: url }),
      credential: {
        settings: { domain: 'mg.example.com', from: 'no-reply@example.com' },
        secrets: { api_key: 'key-0123456789abcdef' },
        trusted: true,
      },
      targets: ['ada@example.com', 'bob@example.com'],
      badTargets: badAddresses,
    }),
    {
      isMessage: ({ path }) => path.endsWith('/messages'),
      read: (request) => ({ target: field(request, 'to'), text: field(request, 'text') }),
      answers: {
        accept: ({ method }) => json(200, method === 'GET' ? domain : { id: '<1@mg.example.com>', message: 'Queued. Thank you.' }),
        refuse: (request) => json(400, { message: `'to' parameter is not a valid address. ${echo(request)}` }),
        'refuse-credential': (request) => json(401, echo(request)),
        throttle: () => json(429, { message: 'Too many requests' }, { 'retry-after': '7' }),
        fail: () => json(500, { message: 'Internal Server Error' }),
      },
    },
  )
}

export function slackCase(): Promise<ConformanceCase> {
  const error = (code: string, more = {}) => json(200, { ok: false, error: code, ...more })
  return httpConformanceCase(
    (url) => ({
      provider: createSlack({ apiUrl: url }),
      credential: { settings: {}, secrets: { token: 'xoxb-0123456789-abcdef' }, trusted: true },
      targets: ['C024BE91L', 'C024BE91M'],
      badTargets: ['#general', '@ada', 'c024be91l', 'https://acme.slack.com/archives/C024BE91L', 'U024BE91L'],
    }),
    {
      isMessage: ({ path }) => path === '/chat.postMessage',
      read: ({ body }) => {
        const { channel, text } = JSON.parse(body) as { channel: string; text: string }
        return { target: channel, text }
      },
      answers: {
        accept: ({ path }) =>
          json(200, { ok: true, ts: '1.2', user: 'flowpost', channel: path === '/conversations.info' ? { is_member: true } : 'C024BE91L' }),
        refuse: ({ headers }) => error('channel_not_found', { needed: headers.authorization }),
        'refuse-credential': ({ headers }) => error('invalid_auth', { needed: headers.authorization }),
        throttle: () => json(429, { ok: false, error: 'ratelimited' }, { 'retry-after': '7' }),
        fail: () => json(503, { ok: false, error: 'service_unavailable' }),
      },
    },
  )
}

export async function smtpCase(): Promise<ConformanceCase> {
  const password = 'correct horse battery staple'
  const scripts: Readonly<Record<Behaviour, Script>> = {
    accept: {},
    refuse: { RCPT: `550 5.1.1 No such user ${password} ${Buffer.from(`\0robot\0${password}`).toString('base64')}` },
    'refuse-credential': { AUTH: `535 5.7.8 Bad credentials ${password} ${Buffer.from(`\0robot\0${password}`).toString('base64')}` },
    throttle: { RCPT: '450 4.7.28 Too many messages, slow down' },
    fail: { MAIL: '451 4.3.0 Try again later' },
    drop: { message: 'close' },
    hang: { message: 'silence' },
  }
  const script: Script = {}
  const server = await startScriptedSmtpServer(script)
  return {
    provider: smtp,
    credential: {
      settings: { host: '127.0.0.1', port: server.port, security: 'none', user: 'robot', from: 'no-reply@example.com' },
      secrets: { password },
      trusted: true,
    },
    targets: ['ada@example.com', 'bob@example.com'],
    badTargets: badAddresses,
    behave(behaviour) {
      for (const step of Object.keys(script)) delete script[step as keyof Script]
      Object.assign(script, scripts[behaviour])
    },
    received: () => server.messages.map(readMail),
    close: server.close,
  }
}

/** What the receivers behind a URL answer with, by status; each case says what marks a message. */
function urlCase(
  make: (url: string) => Pick<ConformanceCase, 'provider' | 'credential' | 'targets' | 'badTargets'>,
  read: (request: ReceivedRequest) => ReceivedMessage,
  accepted: HttpReply,
): Promise<ConformanceCase> {
  const echo = ({ path, headers }: ReceivedRequest) => ({
    message: `http://${headers.host}${path} ${path} ${headers['webhook-signature']}`,
  })
  return httpConformanceCase(make, {
    isMessage: ({ method }) => method === 'POST',
    read,
    answers: {
      accept: () => accepted,
      refuse: (request) => json(400, echo(request)),
      'refuse-credential': (request) => json(401, echo(request)),
      throttle: () => json(429, {}, { 'retry-after': '7' }),
      fail: () => json(500, {}),
    },
  })
}

const badNames = ['Ops', 'https://example.com/hook', 'ops alerts', '-ops', 'ops:alerts']
const nameIn = (path: string) => /(?:^|[/_-])(ops|dev)(?:$|[/_?-])/.exec(path)?.[1] ?? ''

export function discordCase(): Promise<ConformanceCase> {
  const path = (name: string) => `api/webhooks/1234567890/${name}-0123456789abcdefghij`
  return urlCase(
    (url) => ({
      provider: createDiscord({ origins: [new URL(url).origin] }),
      credential: { settings: {}, secrets: { urls: { ops: url + path('ops'), dev: url + path('dev') } }, trusted: true },
      targets: ['ops', 'dev'],
      badTargets: badNames,
    }),
    (request) => ({ target: nameIn(request.path), text: (JSON.parse(request.body) as { content: string }).content }),
    json(200, { id: '1', channel_id: '2', name: 'Flowpost' }),
  )
}

export function teamsCase(): Promise<ConformanceCase> {
  return urlCase(
    (url) => ({
      provider: createTeams({ isWorkflowUrl: () => true }),
      credential: {
        settings: {},
        secrets: { urls: { ops: `${url}ops?sig=0123456789abcdefghij`, dev: `${url}dev?sig=0123456789abcdefghij` } },
        trusted: true,
      },
      targets: ['ops', 'dev'],
      badTargets: badNames,
    }),
    (request) => {
      const message = JSON.parse(request.body) as { attachments: [{ content: { body: { text: string }[] } }] }
      return { target: nameIn(request.path), text: message.attachments[0].content.body.map(({ text }) => text).join('\n') }
    },
    json(202, ''),
  )
}

export function webhookCase(): Promise<ConformanceCase> {
  return urlCase(
    (url) => ({
      provider: webhook,
      credential: {
        settings: {},
        secrets: {
          urls: { ops: `${url}hooks/ops/0123456789abcdefghij`, dev: `${url}hooks/dev/0123456789abcdefghij` },
          signing_secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
        },
        trusted: true,
      },
      targets: ['ops', 'dev'],
      badTargets: badNames,
    }),
    (request) => (JSON.parse(request.body) as { data: ReceivedMessage }).data,
    json(200, { received: true }),
  )
}
