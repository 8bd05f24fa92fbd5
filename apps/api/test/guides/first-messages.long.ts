import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { childEnvironment } from '../support/child-environment.ts'
import { eventEnv as encryption } from '../support/event-endpoints.ts'
import { followGuide } from '../support/follow-guide.ts'
import { codeBlocksOf, hasCurl, readFromRepository, readGuide, repositoryFolder } from '../support/guide-pages.ts'
import { expectRobustReceiver } from '../support/receiver-robustness.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { startTestServer } from '../support/test-server.ts'

const sent = { status: 'sent', deliveries: [{ status: 'sent', captured: false }] }

describe.skipIf(!hasCurl)('the guide', () => {
  it('smtp.md checks a flow and sends an email', async () => {
    await using smtp = await startSmtpSink()
    await using server = await startTestServer({
      env: { FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'Billing <billing@example.com>' },
    })
    const lines = await followGuide(server, 'smtp')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ ok: true })
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject(sent)
    expect(smtp.received).toMatchObject([{ from: 'billing@example.com', to: ['ops@example.com'] }])
  })

  it('slack.md checks a flow and posts a message', async () => {
    const posted: unknown[] = []
    const slack = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
      if (request.url === '/api/chat.postMessage') posted.push(JSON.parse(Buffer.concat(chunks).toString()))
      const body = { ok: true, user: 'flowpost', team: 'Example', channel: { name: 'ops', is_member: true }, ts: '17.1' }
      response.writeHead(200, { 'x-oauth-scopes': 'chat:write,channels:read,groups:read' }).end(JSON.stringify(body))
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void slack.close())
    await once(slack, 'listening')
    const env = {
      FLOWPOST_SLACK_TOKEN: 'xoxb-test',
      FLOWPOST_SLACK_API_URL: `http://127.0.0.1:${(slack.address() as AddressInfo).port}/api/`,
    }
    await using server = await startTestServer({ env })
    const lines = await followGuide(server, 'slack')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      ok: true,
      checks: [{ name: 'authenticate' }, { name: 'scopes' }, { name: 'membership' }],
    })
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject(sent)
    expect(posted).toMatchObject([{ channel: 'C024BE91L', text: '*Invoice 42*\nIt is ready.' }])
  })

  it('webhooks.md sends a message that its receiver verifies', async () => {
    const page = readGuide('webhooks')
    const program = 'examples/webhook-receiver/receiver.mjs'
    expect(/<!-- .* -->\n```js\n([\s\S]*?)^```$/m.exec(page)?.[1]).toBe(readFromRepository(program))
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
    const port = await freePort()
    const receiver = spawn(process.execPath, [`${repositoryFolder}/${program}`], {
      env: { ...childEnvironment, SIGNING_SECRET: secret, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void receiver.kill())
    let printed = ''
    receiver.stdout.on('data', (chunk) => {
      printed += String(chunk)
    })
    const url = `http://127.0.0.1:${port}/`
    await expectRobustReceiver(url)

    await using server = await startTestServer({ env: { ...encryption, FLOWPOST_EGRESS_ALLOW: '127.0.0.0/8' } })
    const lines = await followGuide(server, 'webhooks', {
      env: { SIGNING_SECRET: secret },
      replace: [['http://127.0.0.1:8080/', url]],
    })
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject(sent)
    await expect.poll(() => printed).toBe('billing: Invoice 42: It is ready.\n')
    expect(page).toContain(printed.trim())
  })

  it('idempotency.md sends once', async () => {
    await using server = await startTestServer()
    const project = await server.client().projects.create({ name: 'billing' })
    await server.client().flows.create(project.id, { name: 'a', source_type: 'smtp', target: 'ops@example.com' })
    const [first, second, ...others] = await followGuide(server, 'idempotency', { env: { project: project.id } })
    expect(first).toMatch(/^ntf_/)
    expect([second, others]).toEqual([first, []])
    expect((await server.client().notifications.list()).data).toHaveLength(1)
  })
})

it('the guide testing.md shows only tests from the README of @flowpost/testing, whose tests are run', () => {
  const blocks = codeBlocksOf('testing', 'ts')
  const tested = readFromRepository('packages/testing/README.md')
  expect(blocks).toHaveLength(3)
  for (const block of blocks) expect(tested).toContain(block)
})

/** Returns a port that is free now. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
