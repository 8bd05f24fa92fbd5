import { afterEach, describe, expect, it } from 'vitest'
import { createMessage, deliverOnce } from '../../test/fixtures.ts'
import { type MockResponse, type MockServer, startMockServer } from '../conformance/http-case.ts'
import { createTeams, teams } from './teams.ts'

let server: MockServer

afterEach(() => server?.close())

async function send(response: MockResponse, text = 'first\nsecond') {
  server = await startMockServer(() => response)
  const secrets = { urls: { ops: `${server.url}workflows/1/triggers/manual/paths/invoke?sig=abcdefghijklmnopqrstuvwxyz` } }
  return deliverOnce(
    createTeams({ isWorkflowUrl: () => true }),
    { settings: {}, secrets, trusted: true },
    createMessage({ target: 'ops', content: { subject: 's', text } }),
  )
}

it('posts a card with one block per line', async () => {
  const { result } = await send({ status: 202, headers: { 'x-ms-workflow-run-id': '0858' } })
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: ['first', 'second'].map((line) => ({ type: 'TextBlock', text: line, wrap: true, spacing: 'None' })),
        },
      },
    ],
  })
  expect(result).toEqual({ providerMessageId: '0858', response: 'Teams returned 202.' })
})

it('rejects a message whose card is too large', async () => {
  const { error } = await send({ status: 202 }, 'x\n'.repeat(1000))
  expect(error).toMatchObject({ kind: 'content', code: 'content_too_long', retryable: false })
  expect(server.requests).toEqual([])
})

describe('an error response', () => {
  it.each([
    [
      { status: 404, body: { error: { code: 'WorkflowNotFound', message: 'The workflow could not be found.' } } },
      'credential',
      'WorkflowNotFound',
      false,
    ],
    [{ status: 410, body: '' }, 'credential', 'http_410', false],
    [
      { status: 401, body: { error: { code: 'DirectApiAuthorizationRequired', message: 'x' } } },
      'credential',
      'DirectApiAuthorizationRequired',
      false,
    ],
    [
      { status: 400, body: { error: { code: 'TriggerInputSchemaMismatch', message: 'x' } } },
      'content',
      'TriggerInputSchemaMismatch',
      false,
    ],
    [
      { status: 400, body: { error: { code: 'WorkflowTriggerIsNotEnabled', message: 'x' } } },
      'credential',
      'WorkflowTriggerIsNotEnabled',
      false,
    ],
    [{ status: 429, body: {} }, 'rate', 'http_429', true],
    [{ status: 413, body: '' }, 'content', 'http_413', false],
    [{ status: 504, body: '' }, 'ambiguous', 'http_504', true],
    [{ status: 503, body: '' }, 'provider', 'http_503', true],
  ])('%j is classified as %s %s, retryable %s', async (response, kind, code, retryable) => {
    expect((await send(response)).error).toMatchObject({ kind, code, retryable })
  })
})

it.each([
  ['https://prod-23.westeurope.logic.azure.com:443/workflows/1/triggers/manual/paths/invoke?sig=x', true],
  [
    'https://default1.08.environment.api.powerplatform.com:443/powerautomate/automations/direct/workflows/1/triggers/manual/paths/invoke?sig=x',
    true,
  ],
  ['https://logic.azure.com.evil.example/workflows/1', false],
  ['https://evillogic.azure.com/workflows/1', false],
  ['http://prod-23.westeurope.logic.azure.com/workflows/1', false],
])('validates the URL %s: %s', (url, valid) => {
  expect(teams.secrets.safeParse({ urls: { ops: url } }).success).toBe(valid)
})
