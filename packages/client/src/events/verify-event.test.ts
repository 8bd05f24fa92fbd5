import { describe, expect, it } from 'vitest'
import { signEvent } from './sign-event.ts'
import { isEventVerificationError } from './verification-error.ts'
import { verifyEvent } from './verify-event.ts'

const nowMs = Date.UTC(2026, 10, 23, 8)
const now = () => nowMs
const bytes = Uint8Array.from({ length: 32 }, (_, index) => 255 - index * 3)
const secret = `whsec_${Buffer.from(bytes).toString('base64')}`
const otherSecret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const id = 'evt_01jdv3k2m8f6wbn0q4z5t7x9ya'
const event = { id, type: 'delivery.sent', created_at: '2026-11-23T08:00:00.000Z', data: { id: 'dlv_1', target: 'zoë@example.com' } }
const body = JSON.stringify(event)

const signed = (at = nowMs, key: string | string[] = secret) => signEvent(body, { id, secret: key, now: at })

const codeOf = async (verification: Promise<unknown>): Promise<string> => {
  const error = await verification.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return isEventVerificationError(error) ? error.code : String(error)
}

describe('an authentic event', () => {
  it.each([
    ['a string', body],
    ['a Buffer', Buffer.from(body)],
    ['a Uint8Array', new TextEncoder().encode(body)],
    ['an ArrayBuffer', new TextEncoder().encode(body).buffer],
    ['a view into a larger buffer', Buffer.concat([Buffer.from('before'), Buffer.from(body), Buffer.from('after')]).subarray(6, -5)],
  ])('is returned when the body is %s', async (_, raw) => {
    expect(await verifyEvent(raw as Uint8Array, await signed(), secret, { now })).toEqual(event)
  })

  it('is accepted with Headers, a plain object in any case, and arrays of one value', async () => {
    const headers = await signed()
    const upperCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
    const arrays = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
    for (const form of [new Headers(headers), headers, upperCase, arrays, { ...headers, get: 'a header' }])
      expect(await verifyEvent(body, form, secret, { now })).toEqual(event)
  })

  it.each([
    ['without a prefix', secret.slice(6)],
    ['in base64url without padding', `whsec_${Buffer.from(bytes).toString('base64url')}`],
    ['with surrounding white space', ` ${secret}\n`],
    ['among others', [otherSecret, secret]],
  ])('is accepted with a secret %s', async (_, key) => {
    expect(await verifyEvent(body, await signed(), key, { now })).toEqual(event)
  })

  it('is accepted during a rotation, when the header has a signature for each secret', async () => {
    const headers = await signed(nowMs, [otherSecret, secret])
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2)
    for (const key of [secret, otherSecret]) expect(await verifyEvent(body, headers, key, { now })).toEqual(event)
  })

  it('is accepted among signatures of other versions', async () => {
    const headers = await signed()
    const signature = `v1a,${'A'.repeat(86)}== v2,x garbage ${headers['webhook-signature']}`
    expect(await verifyEvent(body, { ...headers, 'webhook-signature': signature }, secret, { now })).toEqual(event)
  })

  it.each([-300, 300])('is accepted when its timestamp differs by %i seconds', async (seconds) => {
    expect(await verifyEvent(body, await signed(nowMs + seconds * 1000), secret, { now })).toEqual(event)
  })

  it('is accepted an hour later if the tolerance is an hour', async () => {
    expect(await verifyEvent(body, await signed(nowMs - 3_600_000), secret, { now, toleranceSeconds: 3_600 })).toEqual(event)
  })

  it.each([0, Number.POSITIVE_INFINITY])('is accepted with a tolerance of %d seconds', async (toleranceSeconds) => {
    expect(await verifyEvent(body, await signed(), secret, { now, toleranceSeconds })).toEqual(event)
  })

  it('uses the current time by default', async () => {
    expect(await verifyEvent(body, await signed(Date.now()), secret)).toEqual(event)
    expect(await codeOf(verifyEvent(body, await signed(Date.now() - 310_000), secret))).toBe('timestamp_too_old')
  })
})

describe('a request that is not authentic', () => {
  it.each([
    ['a changed character', body.replace('dlv_1', 'dlv_2')],
    ['reordered keys', JSON.stringify({ data: event.data, id, type: event.type, created_at: event.created_at })],
    ['white space', JSON.stringify(event, null, 2)],
    ['escaped characters', body.replace('ë', '\\u00eb')],
    ['one more byte', `${body} `],
    ['nothing', ''],
  ])('is rejected when the body has %s', async (_, changed) => {
    expect(await codeOf(verifyEvent(changed, await signed(), secret, { now }))).toBe('no_matching_signature')
  })

  it('is rejected with another secret', async () => {
    expect(await codeOf(verifyEvent(body, await signed(), otherSecret, { now }))).toBe('no_matching_signature')
  })

  it('is rejected when only the id or the timestamp changed', async () => {
    const headers = await signed()
    const later = String(Number(headers['webhook-timestamp']) + 1)
    for (const changed of [{ 'webhook-id': 'evt_2' }, { 'webhook-timestamp': later }])
      expect(await codeOf(verifyEvent(body, { ...headers, ...changed }, secret, { now }))).toBe('no_matching_signature')
  })

  it.each([
    [-301, 'timestamp_too_old', 'in the past by 301 seconds; at most 300'],
    [301, 'timestamp_in_future', 'in the future by 301 seconds; at most 300'],
  ])('is rejected when its timestamp differs by %i seconds', async (seconds, code, message) => {
    const verification = verifyEvent(body, await signed(nowMs + seconds * 1000), secret, { now })
    await expect(verification).rejects.toMatchObject({ name: 'EventVerificationError', code, message: expect.stringContaining(message) })
  })

  it('is rejected when the clock returns no valid time', async () => {
    expect(await codeOf(verifyEvent(body, await signed(), secret, { now: () => Number.NaN }))).toBe('timestamp_too_old')
  })

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('is rejected without %s, which the error names', async (name) => {
    const { [name]: _, ...headers } = await signed()
    const verification = verifyEvent(body, headers, secret, { now })
    await expect(verification).rejects.toMatchObject({ code: 'missing_header', message: expect.stringContaining(name) })
    const empty = new Headers({ ...headers, [name]: '' })
    expect(await codeOf(verifyEvent(body, empty, secret, { now }))).toBe('missing_header')
  })

  it('is rejected when a header occurs twice', async () => {
    const headers = await signed()
    const twice = { ...headers, 'webhook-id': [id, id] }
    expect(await codeOf(verifyEvent(body, twice, secret, { now }))).toBe('malformed_header')
    expect(await codeOf(verifyEvent(body, { ...headers, 'Webhook-Id': id }, secret, { now }))).toBe('malformed_header')
  })

  it.each([
    ['webhook-id', 'evt 1'],
    ['webhook-id', 'evt_é'],
    ['webhook-id', 'e'.repeat(256)],
    ['webhook-timestamp', '-1'],
    ['webhook-timestamp', '1.5'],
    ['webhook-timestamp', '1795420800abc'],
    ['webhook-timestamp', '9'.repeat(400)],
    ['webhook-timestamp', 'NaN'],
    ['webhook-timestamp', '2026-11-23T08:00:00Z'],
    ['webhook-timestamp', '１７９５４２０８００'],
    ['webhook-signature', 'garbage'],
    ['webhook-signature', ' '],
    ['webhook-signature', '🗝️ 💥'],
  ])('is rejected when %s is %j', async (name, value) => {
    expect(await codeOf(verifyEvent(body, { ...(await signed()), [name]: value }, secret, { now }))).toBe('malformed_header')
  })

  it('is rejected when it has only signatures of other versions', async () => {
    const headers = await signed()
    const value = headers['webhook-signature'].slice(3)
    for (const version of ['v1a', 'v2', 'V1', 'v11', '']) {
      const verification = verifyEvent(body, { ...headers, 'webhook-signature': `${version},${value}` }, secret, { now })
      await expect(verification).rejects.toMatchObject({ code: 'no_matching_signature', message: expect.stringContaining('version v1.') })
    }
  })

  it.each(['v1,', 'v1,é', 'v1,🗝️', 'v1,undefined', `v1,${'A'.repeat(43)}=`, `v1,${'A'.repeat(10_000)}`])(
    'is rejected when its signature is %.20s',
    async (signature) => {
      expect(await codeOf(verifyEvent(body, { ...(await signed()), 'webhook-signature': signature }, secret, { now }))).toBe(
        'no_matching_signature',
      )
    },
  )

  it('is rejected when text from the body is moved into the id', async () => {
    // The sender of a message can choose its reference, so the body can contain a dot, a timestamp and a whole other event.
    const forged = `{"id":"evt_2","type":"delivery.failed","data":{}}`
    const at = Math.floor(nowMs / 1000)
    const real = `{"id":"${id}","type":"delivery.sent","data":{"reference":"x.${at}.${forged}`
    const headers = await signEvent(real, { id, secret, now: nowMs })
    const movedId = `${id}.${at}.${real.slice(0, real.indexOf(`.${at}.`))}`
    expect(`${movedId}.${at}.${forged}`).toBe(`${id}.${at}.${real}`)
    expect(await codeOf(verifyEvent(forged, { ...headers, 'webhook-id': movedId }, secret, { now }))).toBe('malformed_header')
  })

  it.each(['not JSON', '[]', 'null', '"text"', '{"id":1,"type":"a"}', '{"id":"evt_1"}'])(
    'is rejected when its signed body is %s',
    async (text) => {
      const headers = await signEvent(text, { id, secret, now: nowMs })
      expect(await codeOf(verifyEvent(text, headers, secret, { now }))).toBe('malformed_body')
    },
  )
})

describe('a mistake in the receiver', () => {
  it.each([
    ['a parsed object', event],
    ['an array', [event]],
    ['undefined', undefined],
    ['null', null],
    ['a number', 1],
  ])('is a TypeError that asks for the raw body, when the body is %s', async (_, parsed) => {
    const verification = verifyEvent(parsed as never, await signed(), secret, { now })
    await expect(verification).rejects.toThrow(TypeError)
    await expect(verification).rejects.toThrow(/body must be the raw request body.*express\.raw/)
  })

  it.each([
    ['', 'empty'],
    ['whsec_', 'only the prefix'],
    ['whsec_c2hvcnQ=', 'too short'],
    [`whsec_${Buffer.alloc(65, 1).toString('base64')}`, 'too long'],
    ['whsec_not base64 but long enough to be one!', 'not base64'],
    [`whsec_${'A'.repeat(41)}`, 'a length that base64 cannot have'],
    [undefined, 'missing'],
    [[], 'an empty list'],
    [[secret, undefined], 'partly missing'],
  ])('is a TypeError when the secret is %j (%s), which the error does not contain', async (value, _) => {
    const verification = verifyEvent(body, await signed(), value as never, { now })
    await expect(verification).rejects.toThrow(TypeError)
    if (typeof value === 'string' && value.length > 6) await expect(verification).rejects.not.toThrow(value.slice(6))
  })

  // `Number(process.env.TOLERANCE)` is `NaN` when the variable is not set.
  it.each([Number.NaN, -1, '300', null])('is a TypeError when the tolerance is %s, even for a current event', async (toleranceSeconds) => {
    const verification = verifyEvent(body, await signed(), secret, { now, toleranceSeconds: toleranceSeconds as number })
    await expect(verification).rejects.toThrow(new TypeError('toleranceSeconds must be a non-negative number.'))
  })
})
