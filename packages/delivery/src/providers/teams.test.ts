import { afterEach, describe, expect, it } from 'vitest'
import { deliverOnce, outgoing } from '../../test/delivery-case.ts'
import { type HttpReply, type RecordingServer, startRecordingServer } from '../conformance/http-case.ts'
import { createTeams, teams } from './teams.ts'

let server: RecordingServer

afterEach(() => server?.close())

async function send(answer: HttpReply, text = 'first\nsecond') {
  server = await startRecordingServer(() => answer)
  const secrets = { urls: { ops: `${server.url}workflows/1/triggers/manual/paths/invoke?sig=abcdefghijklmnopqrstuvwxyz` } }
  return deliverOnce(
    createTeams({ isWorkflowUrl: () => true }),
    { settings: {}, secrets, trusted: true },
    outgoing({ target: 'ops', content: { subject: 's', text } }),
  )
}

it('posts a card with a block for each line', async () => {
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
  expect(result).toEqual({ providerMessageId: '0858', response: 'Teams answered 202.' })
})

it('refuses a message that is too large with the card around it', async () => {
  const { error } = await send({ status: 202 }, 'x\n'.repeat(1000))
  expect(error).toMatchObject({ kind: 'content', code: 'content_too_long', retryable: false })
  expect(server.requests).toEqual([])
})

describe('a failure', () => {
  it.each([
    [
      { status: 404, body: { error: { code: 'WorkflowNotFound', message: 'The workflow could not be found.' } } },
      'credential',
      'WorkflowNotFound',
      false,
    ],
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
  ])('%j is %s %s, retryable %s', async (answer, kind, code, retryable) => {
    expect((await send(answer)).error).toMatchObject({ kind, code, retryable })
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
])('takes the URL %s: %s', (url, taken) => {
  expect(teams.secrets.safeParse({ urls: { ops: url } }).success).toBe(taken)
})
