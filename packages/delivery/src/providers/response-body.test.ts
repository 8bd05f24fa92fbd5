import type { ServerResponse } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { createMessage } from '../../test/fixtures.ts'
import { createManualClock } from '../../test/manual-clock.ts'
import { createProviderClient } from '../client/provider-client.ts'
import { startMockServer } from '../conformance/http-case.ts'
import type { Provider } from '../provider.ts'
import { createDiscord } from './discord.ts'
import { createMailgun } from './mailgun.ts'
import { createTeams } from './teams.ts'
import { webhook } from './webhook.ts'

const timeoutMs = 1000
const hookPath = 'api/webhooks/1234567890/abcdefghij'

interface Subject {
  readonly status: number
  readonly create: (origin: string) => Provider
  readonly target?: string
  readonly settings?: object
  readonly secrets?: object
}

const subjects: Readonly<Record<string, Subject>> = {
  webhook: { status: 200, create: () => webhook, secrets: { signing_secret: `whsec_${'A'.repeat(32)}` } },
  mailgun: {
    status: 200,
    create: (origin) => createMailgun({ apiUrl: origin }),
    target: 'ada@example.com',
    settings: { domain: 'mg.sender.example', from: 'zoe@sender.example' },
    secrets: { api_key: 'key-3ax6xnjp29jd6fds4gc373sgvjxteol0' },
  },
  teams: { status: 202, create: () => createTeams({ isWorkflowUrl: () => true }) },
  discord: { status: 200, create: (origin) => createDiscord({ origins: [origin] }) },
}

/**
 * Delivers a message to a server that sends only one byte of a ten-byte response body, and then closes the connection or stalls.
 * With `flood`, the body does not end.
 */
const deliver = async (name: string, then: 'close' | 'stall' | 'flood', otherStatus?: number): Promise<unknown> => {
  const { status: success, create, target = 'ops', settings = {}, secrets } = subjects[name] as Subject
  const status = otherStatus ?? success
  const server = await startMockServer(() => (response: ServerResponse) => {
    if (then === 'flood') return response.writeHead(status).write('x'.repeat(100_000))
    response.writeHead(status, { 'content-length': 10, 'retry-after': '7' })
    return response.write('x', () => then === 'close' && response.destroy())
  })
  const clock = createManualClock()
  const client = createProviderClient({
    clock,
    timeoutMs,
    async fetch(...request) {
      const response = await fetch(...request)
      if (then === 'stall') setImmediate(() => clock.advance(timeoutMs))
      return response
    },
  })
  onTestFinished(async () => {
    await client.close()
    await server.close()
  })
  return client
    .deliver({
      provider: create(new URL(server.url).origin),
      credential: { settings, secrets: { ...(target === 'ops' && { urls: { ops: server.url + hookPath } }), ...secrets }, trusted: true },
      message: createMessage({ target }),
    })
    .then(
      ({ response }) => response,
      ({ kind, code, retryAfterMs }) => `${kind} ${code}${retryAfterMs === undefined ? '' : `, after ${retryAfterMs} ms`}`,
    )
}

it.each([
  ['webhook', 'close', '200'],
  ['webhook', 'stall', '200'],
  ['teams', 'close', 'Teams returned 202.'],
  ['teams', 'stall', 'Teams returned 202.'],
  ['mailgun', 'close', ''],
  ['mailgun', 'stall', ''],
  ['discord', 'close', '{}'],
  ['discord', 'stall', '{}'],
] as const)('%s counts a message as received by its status, although the body does not end: %s', async (name, then, response) => {
  expect(await deliver(name, then)).toBe(response)
})

it.each([
  ['webhook', 400, 'content http_400, after 7000 ms'],
  ['webhook', 429, 'rate http_429, after 7000 ms'],
  ['webhook', 503, 'provider http_503, after 7000 ms'],
  ['mailgun', 401, 'credential http_401, after 7000 ms'],
  ['mailgun', 429, 'rate http_429, after 7000 ms'],
] as const)('%s classifies an error by its status %i, although the body does not end', async (name, status, error) => {
  expect(await deliver(name, 'close', status)).toBe(error)
  expect(await deliver(name, 'stall', status)).toBe(error)
})

it.each([
  ['webhook', `200 ${'x'.repeat(995)}…`],
  ['teams', 'Teams returned 202.'],
] as const)('%s reads only the first part of a body, and does not wait for the rest', { timeout: 10_000 }, async (name, response) => {
  expect(await deliver(name, 'flood')).toBe(response)
})
