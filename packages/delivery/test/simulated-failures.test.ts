import { builtInDescriptions, type SimulatedFailures, simulatedFailuresOf } from '@flowpost/domain'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startMockServer } from '../src/conformance/http-case.ts'
import { type Credential, createDiscord, createMailgun, createSlack, createTeams, type Provider, smtp, webhook } from '../src/index.ts'
import { createMessage, deliverOnce } from './fixtures.ts'
import { startScriptedSmtpServer } from './scripted-smtp-server.ts'

type Response = { readonly status: number; readonly body?: unknown } | 'lost'

interface Subject {
  /** Creates the provider and a credential for the HTTP server at `url`. */
  readonly create: (url: string) => { readonly provider: Provider; readonly secrets: object; readonly settings?: object }
  readonly target: string
  /** The server's response for each simulated failure. */
  readonly responses: Readonly<Record<keyof SimulatedFailures, Response>>
}

const urls = (url: string) => ({ urls: { ops: url } })
const unavailable = { outage: { status: 503 }, ambiguous: 'lost' } as const
const signing_secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

const subjects: Readonly<Record<string, Subject>> = {
  mailgun: {
    create: (apiUrl) => ({
      provider: createMailgun({ apiUrl }),
      settings: { domain: 'mg.example.com', from: 'no-reply@example.com' },
      secrets: { api_key: 'key-0123456789abcdef' },
    }),
    target: 'ada@example.com',
    responses: { bounce: { status: 400, body: { message: "'to' parameter is not a valid address" } }, ...unavailable },
  },
  slack: {
    create: (apiUrl) => ({ provider: createSlack({ apiUrl }), secrets: { token: 'xoxb-0123456789-abcdef' } }),
    target: 'C024BE91L',
    responses: {
      bounce: { status: 200, body: { ok: false, error: 'channel_not_found' } },
      outage: { status: 503, body: { ok: false, error: 'service_unavailable' } },
      ambiguous: 'lost',
    },
  },
  discord: {
    create: (url) => ({ provider: createDiscord({ origins: [new URL(url).origin] }), secrets: urls(`${url}api/webhooks/1/a`) }),
    target: 'ops',
    responses: { bounce: { status: 404, body: { code: 10_003 } }, ...unavailable },
  },
  teams: {
    create: (url) => ({ provider: createTeams({ isWorkflowUrl: () => true }), secrets: urls(url) }),
    target: 'ops',
    responses: { bounce: { status: 404 }, ...unavailable },
  },
  webhook: {
    create: (url) => ({ provider: webhook, secrets: { ...urls(url), signing_secret } }),
    target: 'ops',
    responses: { bounce: { status: 404 }, ...unavailable },
  },
}

/** Delivers a message to a server that responds as defined for a simulated failure. Returns the actual failure. */
const failureOf = async ({ create, target, responses }: Subject, name: keyof SimulatedFailures) => {
  const response = responses[name]
  const server = await startMockServer(() => (response === 'lost' ? (outgoing) => outgoing.socket?.resetAndDestroy() : response))
  onTestFinished(server.close)
  const { provider, settings = {}, secrets } = create(server.url)
  const credential: Credential = { settings, secrets, trusted: true }
  return (await deliverOnce(provider, credential, createMessage({ target }))).error?.toFailure()
}

/** Delivers a message to an SMTP server that causes the named failure. Returns the actual failure. */
const smtpFailureOf = async (name: keyof SimulatedFailures) => {
  const script = { bounce: { RCPT: '550 5.1.1 No such user' }, outage: {}, ambiguous: { message: 'close' } } as const
  const server = await startScriptedSmtpServer(script[name])
  if (name === 'outage') await server.close()
  else onTestFinished(server.close)
  const settings = { host: '127.0.0.1', port: server.port, security: 'none', from: 'no-reply@example.com' }
  return (await deliverOnce(smtp, { settings, secrets: {}, trusted: true }, createMessage())).error?.toFailure()
}

describe.each(['bounce', 'outage', 'ambiguous'] as const)('the simulated failure %s', (name) => {
  it.each(builtInDescriptions.map(({ id }) => id))('is the failure that %s reports', async (id) => {
    const subject = subjects[id]
    expect(await (subject ? failureOf(subject, name) : smtpFailureOf(name))).toEqual(simulatedFailuresOf(id)[name])
  })

  it('has the same properties for a provider that is not built in', () => {
    const { code: _, detail, ...failure } = simulatedFailuresOf('sms')[name]
    expect(failure).toEqual({ kind: { bounce: 'target', outage: 'provider', ambiguous: 'ambiguous' }[name], retryable: name !== 'bounce' })
    expect(detail).not.toBe('')
  })
})
