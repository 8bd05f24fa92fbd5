import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasCurl, readFromRepository } from './support/guide-pages.ts'
import { createInbound, readReceipt, readSuppressions, receiptEnvironment, sendOne } from './support/receipts.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { loopbackEgress, type SmtpAuthServer, smtpSettingsFor, startSmtpAuthServer } from './support/smtp-auth-server.ts'
import { type SmtpSink, startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let smtp: SmtpAuthServer
let server: TestServer
beforeAll(async () => {
  smtp = await startSmtpAuthServer()
  server = await startTestServer({ env: receiptEnvironment, egress: loopbackEgress })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

const headers = { 'Content-Type': 'message/rfc822' }
const fixture = (name: string) => readFile(new URL(`../../../packages/delivery/test/bounces/${name}.eml`, import.meta.url), 'utf8')

/** Returns a mail server's bounce for a delivery. */
const bounceOf = async (name: string, deliveryId: string) => (await fixture(name)).replaceAll('dlv_01jdv3k2m8f6wbn0q4z5t7x9ya', deliveryId)

const integration = () => ({
  settings: smtpSettingsFor(smtp, { bounce_address: 'bounces@flow.example.com' }),
  secrets: { password: 'secret-1' },
})
const post = (path: string, body: string, on = server) => on.request('POST', path, { body, headers, key: null })

describe('a bounce', () => {
  it('is sent to the envelope sender of the message, and becomes the receipt of its delivery', async () => {
    const { project, inbound } = await createInbound(server, 'smtp', integration())
    const { deliveryId, notificationId } = await sendOne(server, project.id)
    expect(smtp.received.at(-1)?.from).toBe(`bounces+${deliveryId}@flow.example.com`)

    expect((await post(inbound, await bounceOf('postfix-delayed', deliveryId))).json).toEqual({ result: 'ignored' })
    expect((await post(inbound, await bounceOf('vacation', deliveryId))).json).toEqual({ result: 'ignored' })
    expect((await post(inbound, await bounceOf('postfix-unknown-user', deliveryId))).json).toEqual({ result: 'recorded' })
    expect(await readReceipt(server, notificationId)).toMatchObject({ status: 'bounced', code: '5.1.1' })
    expect(await readSuppressions(server, project.id)).toMatchObject([{ reason: 'bounce', source: 'receipt' }])
    const suppressed = await readCompleted(server, (await send(server, project.id)).id)
    expect(suppressed.deliveries).toMatchObject([{ status: 'failed', failure: { code: 'suppressed' }, receipt: null }])

    expect((await post(inbound, await bounceOf('postfix-unknown-user', deliveryId))).json).toEqual({ result: 'unchanged' })
    expect((await post(inbound, await bounceOf('complaint', deliveryId))).json).toEqual({ result: 'recorded' })
    expect(await readReceipt(server, notificationId)).toMatchObject({ status: 'complained', code: 'abuse' })
  })

  it('suppresses nobody if the address is not the cause', async () => {
    const { project, inbound } = await createInbound(server, 'smtp', integration())
    for (const name of ['postfix-expired', 'postfix-fixed-sender']) {
      const { deliveryId, notificationId } = await sendOne(server, project.id)
      expect((await post(inbound, await bounceOf(name, deliveryId))).json).toEqual({ result: 'recorded' })
      expect(await readReceipt(server, notificationId)).toMatchObject({ status: 'bounced' })
    }
    expect(await readSuppressions(server, project.id)).toEqual([])
  })

  it('is matched by the query parameter `recipient`, which the mail server adds', async () => {
    const { project, inbound } = await createInbound(server, 'smtp', integration())
    const { deliveryId, notificationId } = await sendOne(server, project.id)
    const recipient = encodeURIComponent(`bounces+${deliveryId}@flow.example.com`)
    expect((await post(`${inbound}?recipient=${recipient}`, await fixture('postfix-unknown-user'))).json).toEqual({ result: 'recorded' })
    expect(await readReceipt(server, notificationId)).toMatchObject({ status: 'bounced' })
  })

  it('is reported by the program in docs/receipts.md, which Postfix calls', async ({ skip }) => {
    if (!hasCurl) skip('curl is not installed.')
    const [, block = ''] = /^ {3}(#!\/bin\/sh\n[\s\S]*?)^ {3}```/m.exec(readFromRepository('docs/receipts.md')) ?? []
    const program = block.replaceAll(/^ {3}/gm, '')
    // The curl of supported Linux distributions can be years old.
    expect(program.match(/(?<= )--[\w-]+/g)).toEqual(['--data-binary'])
    await using folder = await mkdtempDisposable(join(tmpdir(), 'flowpost-bounce-'))
    const urlFile = join(folder.path, 'inbound-url')
    const pipe = async (inbound: string, message: string) => {
      await writeFile(urlFile, `${server.url}${inbound}\n`)
      const child = spawn('sh', ['-c', program.replace('/etc/flowpost-inbound-url', urlFile)], { stdio: ['pipe', 'ignore', 'ignore'] })
      child.stdin.end(message)
      const [code] = await once(child, 'close')
      return code as number
    }
    const { project, inbound } = await createInbound(server, 'smtp', integration())
    const { deliveryId, notificationId } = await sendOne(server, project.id)
    const message = `Delivered-To: bounces+${deliveryId}@flow.example.com\n${await fixture('postfix-unknown-user')}`
    expect(await pipe(`/v1/inbound/smtp/fpi_${'0'.repeat(32)}`, message)).toBe(75)
    expect(await pipe(inbound, message)).toBe(0)
    expect(await readReceipt(server, notificationId)).toMatchObject({ status: 'bounced', code: '5.1.1' })
  })

  it('is ignored if another project sent the message', async () => {
    const { project } = await createInbound(server, 'smtp', integration())
    const other = await createInbound(server, 'smtp', integration())
    const { deliveryId, notificationId } = await sendOne(server, project.id)
    expect((await post(other.inbound, await bounceOf('exim', deliveryId))).json).toEqual({ result: 'ignored' })
    expect(await readReceipt(server, notificationId)).toBeNull()
  })

  it('is rejected with 415 if it is JSON, and with 406 if it cannot be parsed', async () => {
    const { inbound } = await createInbound(server, 'smtp', integration())
    expect((await server.request('POST', inbound, { json: {}, key: null })).status).toBe(415)
    const nested = Array.from({ length: 50 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`).join('')
    expect((await post(inbound, nested)).status).toBe(406)
  })
})

it("records bounces of the deployment's own messages, without the texts of its mail server", async () => {
  await using sink: SmtpSink = await startSmtpSink()
  const inboundToken = `fpi_${'0123456789abcdef'.repeat(2)}`
  const env = {
    FLOWPOST_SMTP_URL: sink.url,
    FLOWPOST_EMAIL_FROM: 'no-reply@flow.example.com',
    FLOWPOST_BOUNCE_ADDRESS: 'bounces@flow.example.com',
    FLOWPOST_INBOUND_TOKEN: inboundToken,
  }
  await using deployment = await startTestServer({ env: { ...receiptEnvironment, ...env } })
  const { project } = await createFlow(deployment)
  const { deliveryId, notificationId } = await sendOne(deployment, project.id)
  expect(sink.received.at(-1)?.from).toBe(`bounces+${deliveryId}@flow.example.com`)
  const bounce = await bounceOf('postfix-unknown-user', deliveryId)
  expect((await post(`/v1/inbound/smtp/fpi_${'0'.repeat(32)}`, bounce, deployment)).status).toBe(404)
  expect((await post(`/v1/inbound/smtp/${inboundToken}`, bounce, deployment)).json).toEqual({ result: 'recorded' })
  expect(await readReceipt(deployment, notificationId)).toMatchObject({ status: 'bounced', code: '5.1.1', detail: null })
})

it('stores no text from a mail server if the deployment stores no content', async () => {
  await using silent = await startTestServer({ env: { ...receiptEnvironment, FLOWPOST_LOG_CONTENT: 'off' }, egress: loopbackEgress })
  const { project, inbound } = await createInbound(silent, 'smtp', integration())
  const { deliveryId, notificationId } = await sendOne(silent, project.id)
  expect((await post(inbound, await bounceOf('gmail', deliveryId), silent)).json).toEqual({ result: 'recorded' })
  expect(await readReceipt(silent, notificationId)).toMatchObject({ status: 'bounced', code: '5.1.1', detail: null })
})
