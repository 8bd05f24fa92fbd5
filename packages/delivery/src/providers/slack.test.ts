import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createMessage, deliverOnce } from '../../test/fixtures.ts'
import { captureMessage } from '../capture.ts'
import { createProviderClient } from '../client/provider-client.ts'
import { type MockResponse, type MockServer, startMockServer } from '../conformance/http-case.ts'
import { createSlack } from './slack.ts'

const token = ['xoxb', '17653672481', '19874698323', 'pdFZKVeTuE8sk7oOcBrzqqgy'].join('-')
const credential = { settings: {}, secrets: { token } }
const target = 'C024BE91L'
let server: MockServer

afterEach(() => server?.close())

async function send(response: MockResponse, text = 'Hello', timeoutMs?: number) {
  server = await startMockServer(() => response)
  return deliverOnce(
    createSlack({ apiUrl: `${server.url}api` }),
    credential,
    createMessage({ target, content: { subject: 's', text } }),
    timeoutMs,
  )
}

describe('send', () => {
  it('disables link previews and mentions and returns a response without the content', async () => {
    const { result } = await send({ status: 200, body: { ok: true, channel: target, ts: '1503435956.000247', message: { text: 'Hello' } } })
    const [request] = server.requests
    expect(request).toMatchObject({ method: 'POST', path: '/api/chat.postMessage' })
    expect(request?.headers).toMatchObject({ authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' })
    expect(JSON.parse(request?.body ?? '')).toEqual({
      channel: target,
      text: 'Hello',
      mrkdwn: true,
      parse: 'none',
      link_names: false,
      unfurl_links: false,
      unfurl_media: false,
    })
    expect(result).toEqual({
      providerMessageId: '1503435956.000247',
      response: `{"ok":true,"channel":"${target}","ts":"1503435956.000247"}`,
    })
  })

  it('sends the same bytes that captureMessage returns', async () => {
    await send({ status: 200, body: { ok: true } }, 'Ü 🚀 <@U1>')
    const composed = await captureMessage(createSlack(), createMessage({ target, content: { subject: 's', text: 'Ü 🚀 <@U1>' } }))
    expect(composed.raw).toBe(server.requests[0]?.body)
  })
})

describe('an error response', () => {
  const cases: [code: string, kind: string, retryable: boolean][] = [
    ['channel_not_found', 'target', false],
    ['not_in_channel', 'target', false],
    ['is_archived', 'target', false],
    ['restricted_action_read_only_channel', 'target', false],
    ['invalid_auth', 'credential', false],
    ['token_revoked', 'credential', false],
    ['missing_scope', 'credential', false],
    ['msg_too_long', 'content', false],
    ['no_text', 'content', false],
    ['slack_connect_canvas_sharing_blocked', 'content', false],
    ['slack_connect_file_link_sharing_blocked', 'content', false],
    ['slack_connect_lists_sharing_blocked', 'content', false],
    ['channel_type_not_supported', 'target', false],
    ['ekm_access_denied', 'target', false],
    ['account_inactive', 'credential', false],
    ['token_expired', 'credential', false],
    ['not_allowed_token_type', 'credential', false],
    ['message_limit_exceeded', 'rate', true],
    ['team_added_to_org', 'provider', true],
    ['request_timeout', 'provider', true],
    ['rate_limited', 'rate', true],
    ['ratelimited', 'rate', true],
    ['service_unavailable', 'provider', true],
    ['fatal_error', 'ambiguous', true],
    ['internal_error', 'ambiguous', true],
    ['invalid_arguments', 'provider', false],
    ['some_future_error', 'provider', false],
    ['constructor', 'provider', false],
  ]
  it.each(cases)('%s is classified as %s, retryable %s', async (code, kind, retryable) => {
    const { error } = await send({ status: 200, body: { ok: false, error: code } })
    expect(error).toMatchObject({ kind, code, retryable })
  })

  it('names the missing scope', async () => {
    const { error } = await send({ status: 200, body: { ok: false, error: 'missing_scope', needed: 'chat:write', provided: 'users:read' } })
    expect(error?.detail).toContain('Needed: chat:write.')
  })

  it('has the delay from Retry-After for status 429', async () => {
    const { error } = await send({ status: 429, body: { ok: false, error: 'ratelimited' }, headers: { 'retry-after': '30' } })
    expect(error).toMatchObject({ kind: 'rate', retryAfterMs: 30_000, retryable: true })
  })

  it('has the code `unrecognized` if Slack returns a malformed code', async () => {
    const { error } = await send({ status: 200, body: { ok: false, error: 'a b\n<script>' } })
    expect(error?.code).toBe('unrecognized')
  })
})

describe('a response that is not from Slack', () => {
  it('is ambiguous with status 200', async () => {
    expect((await send({ status: 200, body: '<html>Log in to the hotel network</html>' })).error).toMatchObject({
      kind: 'ambiguous',
      code: 'unreadable_answer',
    })
  })

  it('is retryable with status 500', async () => {
    expect((await send({ status: 500, body: '<html>' })).error).toMatchObject({ kind: 'provider', code: 'http_500', retryable: true })
  })

  it('is ambiguous when it is incomplete', async () => {
    const { error } = await send((response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"ok":', () => response.destroy())
    })
    expect(error).toMatchObject({ kind: 'ambiguous', retryable: true })
  })
})

it('reports a message as not sent when the connection is closed during the TLS handshake', async () => {
  const tcpServer = createServer((socket) => void socket.once('data', () => socket.destroy())).listen(0, '127.0.0.1')
  onTestFinished(() => void tcpServer.close())
  await once(tcpServer, 'listening')
  const slack = createSlack({ apiUrl: `https://127.0.0.1:${(tcpServer.address() as AddressInfo).port}/` })
  const { error } = await deliverOnce(slack, credential, createMessage({ target }))
  expect(error).toMatchObject({ kind: 'provider', code: 'econnreset', detail: 'The provider could not be reached.' })
})

describe('check', () => {
  const identity = {
    status: 200,
    body: { ok: true, user: 'flowpost', team: 'Acme' },
    headers: { 'x-oauth-scopes': 'chat:write,channels:read' },
  }

  async function check(channel: MockResponse, scopes = 'chat:write,channels:read') {
    server = await startMockServer((request) =>
      request.path === '/auth.test' ? { ...identity, headers: { 'x-oauth-scopes': scopes } } : channel,
    )
    return createProviderClient().check({ provider: createSlack({ apiUrl: server.url }), credential, target })
  }
  const respondChannel = (channel: object): MockResponse => ({ status: 200, body: { ok: true, channel: { name: 'ops', ...channel } } })

  it('succeeds for a channel that the app is a member of, without posting', async () => {
    const results = await check(respondChannel({ is_member: true }))
    expect(results.map(({ name, ok }) => [name, ok])).toEqual([
      ['authenticate', true],
      ['scopes', true],
      ['membership', true],
    ])
    expect(server.requests.map((request) => [request.path, request.body])).toEqual([
      ['/auth.test', ''],
      ['/conversations.info', `channel=${target}`],
    ])
  })

  it.each([
    ['not a member of the channel', { is_member: false }, 'not_in_channel'],
    ['in an archived channel', { is_member: true, is_archived: true }, 'is_archived'],
  ])('fails when the app is %s', async (_, channel, code) => {
    expect(await check(respondChannel(channel))).toContainEqual(expect.objectContaining({ name: 'membership', ok: false, code }))
  })

  it('succeeds for a public channel with chat:write.public', async () => {
    expect(await check(respondChannel({ is_member: false }), 'chat:write,chat:write.public')).toContainEqual(
      expect.objectContaining({ name: 'membership', ok: true }),
    )
  })

  it('fails for a private channel that the app is not a member of, even with chat:write.public', async () => {
    expect(await check(respondChannel({ is_member: false, is_private: true }), 'chat:write,chat:write.public')).toContainEqual(
      expect.objectContaining({ name: 'membership', ok: false, code: 'not_in_channel' }),
    )
  })

  it('fails for an unknown channel', async () => {
    expect(await check({ status: 200, body: { ok: false, error: 'channel_not_found' } })).toContainEqual(
      expect.objectContaining({ name: 'membership', ok: false, code: 'channel_not_found' }),
    )
  })

  it('accepts spaces in the list of scopes', async () => {
    expect(await check(respondChannel({ is_member: true }), 'channels:read, chat:write')).toContainEqual(
      expect.objectContaining({ name: 'scopes', ok: true }),
    )
  })

  it('fails for a token without chat:write', async () => {
    expect(await check(respondChannel({ is_member: true }), 'users:read')).toContainEqual(
      expect.objectContaining({ name: 'scopes', ok: false, code: 'missing_scope' }),
    )
  })

  it('stops at an invalid token', async () => {
    server = await startMockServer(() => ({ status: 200, body: { ok: false, error: 'invalid_auth' } }))
    const results = await createProviderClient().check({ provider: createSlack({ apiUrl: server.url }), credential, target })
    expect(results).toMatchObject([{ name: 'authenticate', ok: false, code: 'invalid_auth' }])
    expect(server.requests).toHaveLength(1)
  })
})
