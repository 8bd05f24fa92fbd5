import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { pickBounceCode } from './bounce-code.ts'
import type { Report, ReportContext } from './report.ts'

const signed = z.object({
  signature: z.object({
    timestamp: z.string().regex(/^\d{1,12}$/),
    token: z.string().min(1).max(200),
    signature: z.string().max(200),
    'parent-signature': z.string().max(200).optional(),
  }),
  'event-data': z.unknown().optional(),
})

const text = z.string().optional().catch(undefined)

// Mailgun writes an empty object as `[]`. Therefore, an optional field with an unexpected type counts as missing. Without this,
// one such field would make the whole report invalid.
const eventData = z.object({
  event: z.string(),
  severity: text,
  reason: text,
  timestamp: z.number().optional().catch(undefined),
  'user-variables': z.object({ flowpost_delivery_id: text }).optional().catch(undefined),
  'delivery-status': z
    .object({ code: z.number().optional().catch(undefined), 'enhanced-code': text, message: text, description: text })
    .optional()
    .catch(undefined),
})

type EventData = z.output<typeof eventData>

const hourMs = 3_600_000

// The maximum difference between a signature's timestamp and the server's clock. Mailgun repeats some reports for up to 8 hours,
// and does not document whether it signs each repetition again. A timestamp in the future means that the server's clock is slow.
// Such a report is accepted too, because Mailgun does not repeat every report. Flowpost accepts each token only once until its
// signature has expired, so a signature cannot be replayed.
const maxDifferenceMs = 12 * hourMs

function isSignature(expected: Buffer, signature: string | undefined): boolean {
  const given = Buffer.from(signature ?? '', 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/**
 * Reads a report from Mailgun's webhooks: JSON with a signature (HMAC-SHA256 of the timestamp and a single-use token).
 * Source: https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
 */
export function readMailgunReport({ body, clock }: Pick<ReportContext, 'body' | 'clock'>, signingKey: string | undefined): Report {
  const parsed = signed.safeParse(parseJson(body))
  if (!parsed.success || signingKey === undefined) return { status: 'unauthenticated' }
  const { timestamp, token, signature, 'parent-signature': parentSignature } = parsed.data.signature
  const expected = createHmac('sha256', signingKey).update(timestamp).update(token).digest()
  // A report from a subaccount has two signatures: one with the subaccount's key, and one with the parent account's key.
  const isAuthentic = [signature, parentSignature].map((candidate) => isSignature(expected, candidate)).includes(true)
  if (!isAuthentic) return { status: 'unauthenticated' }
  const sentMs = Number(timestamp) * 1_000
  if (sentMs < clock.now() - maxDifferenceMs) return { status: 'rejected', detail: 'The signature is older than 12 hours.' }
  // Mailgun may repeat an `unauthenticated` report. The report is then accepted if the server's clock has been corrected.
  if (sentMs > clock.now() + maxDifferenceMs) return { status: 'unauthenticated' }
  const event = eventData.safeParse(parsed.data['event-data'])
  if (!event.success) return { status: 'rejected', detail: 'The report has no `event-data`, or its `event-data` has no `event`.' }
  const deliveryId = event.data['user-variables']?.flowpost_delivery_id
  const receipt = toReceipt(event.data)
  if (deliveryId === undefined || receipt === undefined) return { status: 'ignored' }
  const { timestamp: at } = event.data
  return {
    status: 'receipt',
    deliveryId,
    receipt: { ...receipt, at: at === undefined ? undefined : new Date(at * 1_000) },
    nonce: { value: token, expiresAt: new Date(sentMs + maxDifferenceMs) },
  }
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The enhanced status codes (RFC 3463) for reasons that Mailgun often reports without an enhanced code. */
const codeByReason: Readonly<Record<string, string>> = { old: '4.4.7', espblock: '5.7.1' }

function toReceipt(event: EventData) {
  const { code, 'enhanced-code': enhancedCode, message, description } = event['delivery-status'] ?? {}
  switch (event.event) {
    case 'delivered':
      return { status: 'delivered', code: enhancedCode || code?.toString(), detail: message || description } as const
    case 'complained':
      return { status: 'complained', code: 'abuse', detail: undefined } as const
    case 'failed': {
      // A temporary failure is not final: Mailgun retries the message.
      if (event.severity !== 'permanent') return undefined
      const reason = event.reason ?? ''
      const named = codeByReason[reason] ?? (reason.startsWith('suppress-') ? reason : undefined)
      const detail = message || description
      // Many reports have the enhanced code only in the text.
      const read = () => pickBounceCode(enhancedCode || undefined, `${code ?? ''} ${detail ?? ''}`) ?? code?.toString()
      return { status: 'bounced', code: enhancedCode ? read() : (named ?? read()), detail } as const
    }
    default:
      return undefined
  }
}
