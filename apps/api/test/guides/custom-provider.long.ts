import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { followGuide } from '../support/follow-guide.ts'
import { codeBlocksOf, hasCurl, readFromRepository, repositoryFolder } from '../support/guide-pages.ts'
import { startLocalServer } from '../support/local-server.ts'
import { receiptEnvironment } from '../support/receipts.ts'
import { startTestServer } from '../support/test-server.ts'

const guide = 'custom-provider'
const provider = 'examples/postmark/postmark.ts'

it.skipIf(!hasCurl)('the guide custom-provider.md sends through the provider, and records a bounce', async () => {
  const accepted: { To: string; Subject: string }[] = []
  await using postmark = await startLocalServer(({ path, headers, body }) => {
    if (headers['x-postmark-server-token'] !== 'POSTMARK_API_TEST') return { status: 401, body: { ErrorCode: 10, Message: 'Bad token' } }
    if (path !== '/email') return { status: 404 }
    accepted.push(JSON.parse(body))
    return { status: 200, body: { ErrorCode: 0, Message: 'Test job accepted', MessageID: '883953f4-6105-42a2-a16a-77a8eac79483' } }
  })
  vi.stubEnv('POSTMARK_API_URL', `${postmark.url}/`)
  await using server = await startTestServer({
    env: { ...receiptEnvironment, FLOWPOST_PROVIDERS: join(repositoryFolder, provider) },
  })
  const [integration, flow, completed, result, suppressions] = (await followGuide(server, guide)).map((line) => JSON.parse(line))
  expect(integration).toMatchObject({ source_type: 'postmark', settings: { from: 'billing@example.com' } })
  expect(flow).toMatchObject({ source_type: 'postmark' })
  expect(completed).toMatchObject({
    status: 'sent',
    deliveries: [{ captured: false, provider_message_id: '883953f4-6105-42a2-a16a-77a8eac79483' }],
  })
  expect(result).toEqual({ result: 'recorded' })
  expect(suppressions.data).toMatchObject([{ target: 'ops@example.com', reason: 'bounce', source: 'receipt' }])
  expect(accepted).toMatchObject([{ To: 'ops@example.com', Subject: 'Invoice 42' }])
})

it('the guide custom-provider.md shows code from the example', () => {
  const [code] = codeBlocksOf(guide, 'ts')
  expect(readFromRepository(provider)).toContain(code)
})
