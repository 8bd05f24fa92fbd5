import type { ConformanceCase, MockResponse, ReceivedMessage, ReceivedRequest, ServerBehavior } from '../src/conformance.ts'
import { createHttpConformanceCase } from '../src/conformance.ts'
import { createDiscord, createMailgun, createSlack, createTeams, smtp, webhook } from '../src/index.ts'
import { parseMail } from './read-mail.ts'
import { type Script, startScriptedSmtpServer } from './scripted-smtp-server.ts'

const invalidAddresses = [
  'ada',
  '@example.com',
  'ada@',
  'a@example.com,b@example.com',
  'Ada <ada@example.com>',
  'ada@localhost',
  'a b@example.com',
]

const respond = (status: number, body: unknown, headers = {}): MockResponse => ({ status, body, headers })

export function createMailgunCase(): Promise<ConformanceCase> {
  const getField = (request: ReceivedRequest, name: string) =>
    new RegExp(`name="${name}"\\r\\n\\r\\n([\\s\\S]*?)\\r\\n--`).exec(request.body)?.[1] ?? ''
  const domain = { domain: { name: 'mg.example.com', state: 'active' } }
  const echo = ({ headers }: ReceivedRequest) =>
    `Forbidden ${headers.authorization} ${Buffer.from(`${headers.authorization}`.slice(6), 'base64')}`
  return createHttpConformanceCase(
    (url) => ({
      provider: createMailgun({ apiUrl: url }),
      credential: {
        settings: { domain: 'mg.example.com', from: 'no-reply@example.com' },
        secrets: { api_key: 'key-0123456789abcdef' },
        trusted: true,
      },
      targets: ['ada@example.com', 'bob@example.com'],
      invalidTargets: invalidAddresses,
    }),
    {
      isMessage: ({ path }) => path.endsWith('/messages'),
      parseMessage: (request) => ({ target: getField(request, 'to'), text: getField(request, 'text') }),
      responses: {
        accept: ({ method }) => respond(200, method === 'GET' ? domain : { id: '<1@mg.example.com>', message: 'Queued. Thank you.' }),
        reject: (request) => respond(400, { message: `'to' parameter is not a valid address. ${echo(request)}` }),
        'reject-credential': (request) => respond(401, echo(request)),
        throttle: () => respond(429, { message: 'Too many requests' }, { 'retry-after': '7' }),
        fail: () => respond(500, { message: 'Internal Server Error' }),
      },
    },
  )
}

export function createSlackCase(): Promise<ConformanceCase> {
  const respondError = (code: string, fields = {}) => respond(200, { ok: false, error: code, ...fields })
  return createHttpConformanceCase(
    (url) => ({
      provider: createSlack({ apiUrl: url }),
      credential: { settings: {}, secrets: { token: 'xoxb-0123456789-abcdef' }, trusted: true },
      targets: ['C024BE91L', 'C024BE91M'],
      invalidTargets: ['#general', '@ada', 'c024be91l', 'https://acme.slack.com/archives/C024BE91L', 'U024BE91L'],
    }),
    {
      isMessage: ({ path }) => path === '/chat.postMessage',
      parseMessage: ({ body }) => {
        const { channel, text } = JSON.parse(body) as { channel: string; text: string }
        return { target: channel, text }
      },
      responses: {
        accept: ({ path }) =>
          respond(200, {
            ok: true,
            ts: '1.2',
            user: 'flowpost',
            channel: path === '/conversations.info' ? { is_member: true } : 'C024BE91L',
          }),
        reject: ({ headers }) => respondError('channel_not_found', { needed: headers.authorization }),
        'reject-credential': ({ headers }) => respondError('invalid_auth', { needed: headers.authorization }),
        throttle: () => respond(429, { ok: false, error: 'ratelimited' }, { 'retry-after': '7' }),
        fail: () => respond(503, { ok: false, error: 'service_unavailable' }),
      },
    },
  )
}

export async function createSmtpCase(): Promise<ConformanceCase> {
  const password = 'correct horse battery staple'
  const scripts: Readonly<Record<ServerBehavior, Script>> = {
    accept: {},
    reject: { RCPT: `550 5.1.1 No such user ${password} ${Buffer.from(`\0robot\0${password}`).toString('base64')}` },
    'reject-credential': { AUTH: `535 5.7.8 Bad credentials ${password} ${Buffer.from(`\0robot\0${password}`).toString('base64')}` },
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
    invalidTargets: invalidAddresses,
    setBehavior(behavior) {
      for (const step of Object.keys(script)) delete script[step as keyof Script]
      Object.assign(script, scripts[behavior])
    },
    received: () => server.messages.map(parseMail),
    close: server.close,
  }
}

/** Creates the conformance case for a provider that posts to a stored URL. */
function createUrlCase(
  createSubject: (url: string) => Pick<ConformanceCase, 'provider' | 'credential' | 'targets' | 'invalidTargets'>,
  parseMessage: (request: ReceivedRequest) => ReceivedMessage,
  acceptance: MockResponse,
): Promise<ConformanceCase> {
  const echo = ({ path, headers }: ReceivedRequest) => ({
    message: `http://${headers.host}${path} ${path} ${headers['webhook-signature']}`,
  })
  return createHttpConformanceCase(createSubject, {
    isMessage: ({ method }) => method === 'POST',
    parseMessage,
    responses: {
      accept: () => acceptance,
      reject: (request) => respond(400, echo(request)),
      'reject-credential': (request) => respond(401, echo(request)),
      throttle: () => respond(429, {}, { 'retry-after': '7' }),
      fail: () => respond(500, {}),
    },
  })
}

const invalidNames = ['Ops', 'https://example.com/hook', 'ops alerts', '-ops', 'ops:alerts']
const extractName = (path: string) => /(?:^|[/_-])(ops|dev)(?:$|[/_?-])/.exec(path)?.[1] ?? ''

export function createDiscordCase(): Promise<ConformanceCase> {
  const pathOf = (name: string) => `api/webhooks/1234567890/${name}-0123456789abcdefghij`
  return createUrlCase(
    (url) => ({
      provider: createDiscord({ origins: [new URL(url).origin] }),
      credential: { settings: {}, secrets: { urls: { ops: url + pathOf('ops'), dev: url + pathOf('dev') } }, trusted: true },
      targets: ['ops', 'dev'],
      invalidTargets: invalidNames,
    }),
    (request) => ({ target: extractName(request.path), text: (JSON.parse(request.body) as { content: string }).content }),
    respond(200, { id: '1', channel_id: '2', name: 'Flowpost' }),
  )
}

export function createTeamsCase(): Promise<ConformanceCase> {
  return createUrlCase(
    (url) => ({
      provider: createTeams({ isWorkflowUrl: () => true }),
      credential: {
        settings: {},
        secrets: { urls: { ops: `${url}ops?sig=0123456789abcdefghij`, dev: `${url}dev?sig=0123456789abcdefghij` } },
        trusted: true,
      },
      targets: ['ops', 'dev'],
      invalidTargets: invalidNames,
    }),
    (request) => {
      const message = JSON.parse(request.body) as { attachments: [{ content: { body: { text: string }[] } }] }
      // A blank line is sent as a no-break space.
      const lines = message.attachments[0].content.body.map(({ text }) => (text === '\u00a0' ? '' : text))
      return { target: extractName(request.path), text: lines.join('\n') }
    },
    respond(202, ''),
  )
}

export function createWebhookCase(): Promise<ConformanceCase> {
  return createUrlCase(
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
      invalidTargets: invalidNames,
    }),
    (request) => (JSON.parse(request.body) as { data: ReceivedMessage }).data,
    respond(200, { received: true }),
  )
}
