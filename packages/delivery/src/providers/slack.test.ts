import { afterEach, describe, expect, it } from 'vitest'
import { deliverOnce, outgoing } from '../../test/delivery-case.ts'
import { type HttpReply, type RecordingServer, startRecordingServer } from '../conformance/http-case.ts'
import { createCourier } from '../courier.ts'
import { captureMessage } from './capture.ts'
import { createSlack } from './slack.ts'

const token = ['xoxb', '17653672481', '19874698323', 'pdFZKVeTuE8sk7oOcBrzqqgy'].join('-')
const credential = { settings: {}, secrets: { token } }
const target = 'C024BE91L'
let server: RecordingServer

afterEach(() => server.close())

async function send(answer: HttpReply, text = 'Hello', timeoutMs?: number) {
  server = await startRecordingServer(() => answer)
  return deliverOnce(
    createSlack({ apiUrl: `${server.url}api` }),
    credential,
    outgoing({ target, content: { subject: 's', text } }),
    timeoutMs,
  )
}

describe('an accepted message', () => {
  it('is posted without previews and mentions, and its content is kept out of the log', async () => {
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

  it('is shown by capture byte for byte', async () => {
    await send({ status: 200, body: { ok: true } }, 'Ü 🚀 <@U1>')
    const composed = await captureMessage(createSlack(), outgoing({ target, content: { subject: 's', text: 'Ü 🚀 <@U1>' } }))
    expect(composed.raw).toBe(server.requests[0]?.body)
  })
})

describe('an error of Slack', () => {
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
  it.each(cases)('%s is %s, retryable %s', async (code, kind, retryable) => {
    const { error } = await send({ status: 200, body: { ok: false, error: code } })
    expect(error).toMatchObject({ kind, code, retryable })
  })

  it('names the scope that is missing', async () => {
    const { error } = await send({ status: 200, body: { ok: false, error: 'missing_scope', needed: 'chat:write', provided: 'users:read' } })
    expect(error?.detail).toContain('Needed: chat:write.')
  })

  it('with status 429 says for how long to wait', async () => {
    const { error } = await send({ status: 429, body: { ok: false, error: 'ratelimited' }, headers: { 'retry-after': '30' } })
    expect(error).toMatchObject({ kind: 'rate', retryAfterMs: 30_000, retryable: true })
  })

  it('with an odd code does not pass it on as one', async () => {
    const { error } = await send({ status: 200, body: { ok: false, error: 'a b\n<script>' } })
    expect(error?.code).toBe('unrecognised')
  })
})

describe('an answer that is not from Slack', () => {
  it('with status 200 leaves the outcome open', async () => {
    expect((await send({ status: 200, body: '<html>Log in to the hotel network</html>' })).error).toMatchObject({
      kind: 'ambiguous',
      code: 'unreadable_answer',
    })
  })

  it('with status 500 may be retried', async () => {
    expect((await send({ status: 500, body: '<html>' })).error).toMatchObject({ kind: 'provider', code: 'http_500', retryable: true })
  })

  it('and breaks off leaves the outcome open', async () => {
    const { error } = await send((response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"ok":', () => response.destroy())
    })
    expect(error).toMatchObject({ kind: 'ambiguous', retryable: true })
  })
})

describe('a check', () => {
  const identity = {
    status: 200,
    body: { ok: true, user: 'flowpost', team: 'Acme' },
    headers: { 'x-oauth-scopes': 'chat:write,channels:read' },
  }

  async function check(channel: HttpReply, scopes = 'chat:write,channels:read') {
    server = await startRecordingServer((request) =>
      request.path === '/auth.test' ? { ...identity, headers: { 'x-oauth-scopes': scopes } } : channel,
    )
    return createCourier().check({ provider: createSlack({ apiUrl: server.url }), credential, target })
  }
  const about = (channel: object): HttpReply => ({ status: 200, body: { ok: true, channel: { name: 'ops', ...channel } } })

  it('of a channel that the app is in is good, and posts nothing', async () => {
    const findings = await check(about({ is_member: true }))
    expect(findings.map(({ name, ok }) => [name, ok])).toEqual([
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
    ['a channel that the app is not in', { is_member: false }, 'not_in_channel'],
    ['a channel that is archived', { is_member: true, is_archived: true }, 'is_archived'],
  ])('of %s says so', async (_, channel, code) => {
    expect(await check(about(channel))).toContainEqual(expect.objectContaining({ name: 'membership', ok: false, code }))
  })

  it('of a public channel is good when the app may post to all', async () => {
    expect(await check(about({ is_member: false }), 'chat:write,chat:write.public')).toContainEqual(
      expect.objectContaining({ name: 'membership', ok: true }),
    )
  })

  it('of a channel that does not exist says so', async () => {
    expect(await check({ status: 200, body: { ok: false, error: 'channel_not_found' } })).toContainEqual(
      expect.objectContaining({ name: 'membership', ok: false, code: 'channel_not_found' }),
    )
  })

  it('of a token without the scope to post says so', async () => {
    expect(await check(about({ is_member: true }), 'users:read')).toContainEqual(
      expect.objectContaining({ name: 'scopes', ok: false, code: 'missing_scope' }),
    )
  })

  it('of a token that is not valid stops there', async () => {
    server = await startRecordingServer(() => ({ status: 200, body: { ok: false, error: 'invalid_auth' } }))
    const findings = await createCourier().check({ provider: createSlack({ apiUrl: server.url }), credential, target })
    expect(findings).toMatchObject([{ name: 'authenticate', ok: false, code: 'invalid_auth' }])
    expect(server.requests).toHaveLength(1)
  })
})
