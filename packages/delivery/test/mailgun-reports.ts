import { createHmac } from 'node:crypto'

/** The signing key of the reports below. */
export const signingKey = 'key-3ax6xnjp29jd6fds4gc373sgvjxteol0'

/** The delivery that the reports below are about. */
export const deliveryId = 'dlv_01jdv3k2m8f6wbn0q4z5t7x9ya'

/** When the reports below were sent, in milliseconds since the epoch. */
export const sentMs = 1_795_253_410_000

const message = {
  headers: {
    to: 'no.such.user@receiver.example',
    'message-id': `${deliveryId}@mg.example.com`,
    from: 'Flowpost <no-reply@mg.example.com>',
    subject: 'Invoice 42',
  },
  attachments: [],
  size: 612,
}

const common = {
  id: 'W3X4JOhFT-OZidZGKKr9iA',
  timestamp: 1_795_253_403.581_23,
  'log-level': 'info',
  account: { id: '1234567890303a4bd1f33898' },
  domain: { name: 'mg.example.com' },
  envelope: { sender: 'no-reply@mg.example.com', transport: 'smtp', targets: 'no.such.user@receiver.example', 'sending-ip': '203.0.113.9' },
  flags: { 'is-routed': false, 'is-authenticated': true, 'is-system-test': false, 'is-test-mode': false },
  message,
  recipient: 'no.such.user@receiver.example',
  'recipient-domain': 'receiver.example',
  storage: { url: 'https://se.api.mailgun.net/v3/domains/mg.example.com/messages/message_key', key: 'message_key' },
  campaigns: [],
  tags: [],
  'user-variables': { flowpost_delivery_id: deliveryId },
}

const failed = { ...common, event: 'failed', 'log-level': 'error' }

/** The `event-data` of Mailgun's webhooks, by name. */
export const mailgunEvents = {
  delivered: {
    ...common,
    event: 'delivered',
    'delivery-status': {
      tls: true,
      'mx-host': 'mail.receiver.example',
      code: 250,
      description: '',
      'session-seconds': 0.433_115,
      utf8: true,
      'attempt-no': 1,
      message: 'OK',
      'certificate-verified': true,
    },
  },
  bounced: {
    ...failed,
    severity: 'permanent',
    reason: 'bounce',
    'delivery-status': {
      tls: true,
      'mx-host': 'mail.receiver.example',
      code: 550,
      description: '',
      'session-seconds': 0.020_019,
      'enhanced-code': '5.1.1',
      'attempt-no': 1,
      message: '5.1.1 The email account that you tried to reach does not exist.',
      'bounce-type': 'hard',
    },
  },
  suppressed: {
    ...failed,
    severity: 'permanent',
    reason: 'suppress-bounce',
    'delivery-status': { code: 605, description: 'Not delivering to previously bounced address', message: '', 'attempt-no': 1 },
  },
  expired: {
    ...failed,
    severity: 'permanent',
    reason: 'old',
    'delivery-status': { code: 602, description: '', message: 'Too old', 'attempt-no': 8 },
  },
  deferred: {
    ...failed,
    'log-level': 'warn',
    severity: 'temporary',
    reason: 'generic',
    'delivery-status': { code: 452, message: '4.2.2 The email account is over quota', 'retry-seconds': 600, 'attempt-no': 1 },
  },
  complained: { ...common, event: 'complained', 'log-level': 'warn' },
  unsubscribed: { ...common, event: 'unsubscribed' },
  opened: { ...common, event: 'opened', ip: '203.0.113.50', 'client-info': { 'device-type': 'desktop' } },
  /** A message that another program has sent with the same domain. Mailgun writes an empty object as an array. */
  foreign: { ...common, event: 'delivered', 'user-variables': [], 'delivery-status': { code: 250, message: 'OK' } },
} as const

/** Returns the body of a request that Mailgun's webhooks send. */
export function signMailgunReport(
  eventData: unknown,
  {
    key = signingKey,
    token = 'a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f3de0',
    atMs = sentMs,
  }: { key?: string; token?: string; atMs?: number } = {},
) {
  const timestamp = String(Math.floor(atMs / 1_000))
  const signature = createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex')
  return { signature: { token, timestamp, signature }, 'event-data': eventData }
}
