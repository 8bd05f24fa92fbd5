import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { signEvent } from './sign-event.ts'
import { verifyEvent } from './verify-event.ts'

const nowMs = Date.UTC(2026, 10, 23, 8)
const now = () => nowMs
const bytes = Uint8Array.from({ length: 32 }, (_, index) => 255 - index * 3)
const secret = `whsec_${Buffer.from(bytes).toString('base64')}`
const otherSecret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const id = 'evt_01jdv3k2m8f6wbn0q4z5t7x9ya'
const event = { id, type: 'delivery.sent', created_at: '2026-11-23T08:00:00.000Z', data: { target: 'zoë@example.com' } }
const body = JSON.stringify(event)

const signed = () => signEvent(body, { id, secret, now: nowMs })

describe('the time to verify', () => {
  const elapsedOf = async (signatureCount: number) => {
    const headers = await signed()
    const signature = `${`v1,${'A'.repeat(43)}= `.repeat(signatureCount)}${headers['webhook-signature']}`
    const startedAt = process.cpuUsage()
    expect(await verifyEvent(body, { ...headers, 'webhook-signature': signature }, [otherSecret, secret], { now })).toEqual(event)
    const { user, system } = process.cpuUsage(startedAt)
    return (user + system) / 1000
  }

  it('is short for a header of ten megabytes', async () => {
    await elapsedOf(10)
    expect(await elapsedOf(200_000)).toBeLessThan(3_000)
  })

  it('does not grow with the number of signatures times the size of the body', async () => {
    const large = JSON.stringify({ ...event, data: 'x'.repeat(5_000_000) })
    const headers = await signEvent(large, { id, secret, now: nowMs })
    const signature = `v1,${'A'.repeat(43)}= `.repeat(2_000) + headers['webhook-signature']
    const startedAt = process.cpuUsage()
    await verifyEvent(large, { ...headers, 'webhook-signature': signature }, secret, { now })
    const { user, system } = process.cpuUsage(startedAt)
    // Hashing the body once for each signature would take more than ten seconds.
    expect((user + system) / 1000).toBeLessThan(2_000)
  })
})

describe('Standard Webhooks', () => {
  it('signs as the specification says', async () => {
    const timestamp = Math.floor(nowMs / 1000)
    const expected = createHmac('sha256', bytes).update(`${id}.${timestamp}.${body}`).digest('base64')
    expect((await signed())['webhook-signature']).toBe(`v1,${expected}`)
  })

  it("accepts the reference library's signatures, and creates signatures that the reference library accepts", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 24, maxLength: 64 }), fc.json(), async (key, data) => {
        const webhook = new Webhook(`whsec_${Buffer.from(key).toString('base64')}`)
        const at = new Date()
        const text = `{"id":"${id}","type":"test.ping","data":${data}}`
        const timestamp = String(Math.floor(at.getTime() / 1000))
        const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': webhook.sign(id, at, text) }
        expect(await verifyEvent(text, headers, `whsec_${Buffer.from(key).toString('base64')}`)).toEqual(JSON.parse(text))
        const own = await signEvent(text, { id, secret: Buffer.from(key).toString('base64') })
        expect(webhook.verify(text, own)).toEqual(JSON.parse(text))
      }),
      { numRuns: 50 },
    )
  })
})
