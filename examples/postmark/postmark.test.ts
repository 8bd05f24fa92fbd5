import { systemClock } from '@flowpost/delivery'
import { createConformanceChecks, createHttpConformanceCase, type ReceivedRequest } from '@flowpost/delivery/conformance'
import { describe, expect, it } from 'vitest'
import { createPostmark, postmark } from './postmark.ts'

const tokenOf = ({ headers }: ReceivedRequest) => headers['x-postmark-server-token']

const createCase = () =>
  createHttpConformanceCase(
    (url) => ({
      provider: createPostmark(url),
      credential: {
        settings: { from: 'billing@example.com' },
        secrets: { server_token: '0f5b8a6e-9d1c-4f8b-8f6e-1c2d3e4f5a6b' },
        trusted: true,
      },
      targets: ['ada@example.com', 'bob@example.com'],
      invalidTargets: ['ada', 'a@example.com,b@example.com', 'Ada <ada@example.com>'],
    }),
    {
      isMessage: ({ method }) => method === 'POST',
      parseMessage: ({ body }) => {
        const { To, TextBody } = JSON.parse(body) as { To: string; TextBody: string }
        return { target: To, text: TextBody }
      },
      responses: {
        accept: () => ({ status: 200, body: { ErrorCode: 0, Message: 'OK', MessageID: '0a129aee-e1cd-480d-b08d-4f48548ff48d' } }),
        reject: (request) => ({ status: 422, body: { ErrorCode: 406, Message: `Inactive recipient ${tokenOf(request)}` } }),
        'reject-credential': (request) => ({ status: 401, body: { ErrorCode: 10, Message: `Bad token ${tokenOf(request)}` } }),
        throttle: () => ({ status: 429, headers: { 'retry-after': '7' }, body: { ErrorCode: 429, Message: 'Rate limit exceeded' } }),
        fail: () => ({ status: 500, body: { ErrorCode: 0, Message: 'Internal error' } }),
      },
    },
  )

for (const check of createConformanceChecks(createCase)) it(check.name, check.run)

describe('a report', () => {
  const read = (report: unknown) =>
    postmark.readReport?.({
      body: new TextEncoder().encode(typeof report === 'string' ? report : JSON.stringify(report)),
      settings: { from: 'billing@example.com', message_stream: 'outbound' },
      secrets: { server_token: 'token' },
      clock: systemClock,
    })
  const Metadata = { flowpost_delivery_id: 'dlv_01jdv3k2m8f6wbn0q4z5t7x9ya' }
  const bounce = { RecordType: 'Bounce', BouncedAt: '2026-11-21T09:30:03Z', Description: 'Unknown user', Metadata }

  it.each([
    [
      { RecordType: 'Delivery', DeliveredAt: '2026-11-21T09:30:03Z', Details: '250 OK', Metadata },
      { status: 'delivered', detail: '250 OK' },
    ],
    [
      { ...bounce, Type: 'HardBounce' },
      { status: 'bounced', code: '5.1.1', detail: 'HardBounce: Unknown user' },
    ],
    [
      { ...bounce, Type: 'SoftBounce' },
      { status: 'bounced', code: '4.0.0' },
    ],
    [{ ...bounce, RecordType: 'SpamComplaint', Type: 'SpamComplaint' }, { status: 'complained' }],
  ])('%j becomes a receipt', (report, receipt) => {
    expect(read(report)).toMatchObject({
      status: 'receipt',
      deliveryId: Metadata.flowpost_delivery_id,
      receipt: { ...receipt, at: new Date('2026-11-21T09:30:03Z') },
    })
  })

  it.each([[{ ...bounce, Type: 'AutoResponder' }], [{ ...bounce, Metadata: {} }], [{ RecordType: 'Open', Metadata }], [[]], ['{'], ['']])(
    '%j is ignored',
    (report) => expect(read(report)).toEqual({ status: 'ignored' }),
  )
})
