import { createHmac } from 'node:crypto'

/** The signing key for the reports below. */
export const signingKey = 'key-3ax6xnjp29jd6fds4gc373sgvjxteol0'

/** The delivery that the reports below are about. */
export const deliveryId = 'dlv_01jdv3k2m8f6wbn0q4z5t7x9ya'

/** When the reports below were sent, in milliseconds since the epoch. */
export const sentMs = 1_795_253_410_000

const recipient = 'no.such.user@receiver.example'
const messageId = `${deliveryId}@mg.example.com`

/** The fields of every event. */
const every = {
  id: 'W3X4JOhFT-OZidZGKKr9iA',
  timestamp: 1_795_253_403.581_23,
  'log-level': 'info',
  account: { id: '1234567890303a4bd1f33898' },
  domain: { name: 'mg.example.com' },
  recipient,
  'recipient-domain': 'receiver.example',
  'recipient-provider': 'Other',
  tags: [],
  campaigns: [],
  'user-variables': { flowpost_delivery_id: deliveryId },
}

const headers = { 'message-id': messageId, from: 'Flowpost <no-reply@mg.example.com>', to: recipient, subject: 'Invoice 42' }
const storage = { key: 'message_key', url: 'https://storage-us-east4.api.mailgun.net/v3/domains/mg.example.com/messages/message_key' }

/** The fields of events about sending. */
const sending = {
  ...every,
  flags: { 'is-authenticated': true, 'is-routed': false, 'is-big': false, 'is-system-test': false, 'is-test-mode': false },
  message: { attachments: [], headers, size: 612 },
  storage,
  'primary-dkim': 'smtp._domainkey.mg.example.com',
  envelope: { sender: 'no-reply@mg.example.com', targets: recipient, transport: 'smtp', 'sending-ip': '203.0.113.9' },
}

/** The fields of events that the recipient causes. */
const engagement = {
  ...every,
  message: { headers: { 'message-id': messageId } },
  'delivered-at': 1_795_253_401,
  ip: '203.0.113.50',
  'client-info': { 'client-name': 'Chrome', 'client-os': 'OS X', 'client-type': 'browser', 'device-type': 'desktop', bot: null },
  geolocation: { city: 'San Antonio', country: 'US', region: 'TX', timezone: 'America/Chicago' },
}

const session = {
  'attempt-no': 1,
  description: null,
  'session-seconds': 0.208,
  'mx-host': 'mail.receiver.example',
  'certificate-verified': true,
  tls: true,
  utf8: true,
  'first-delivery-attempt-seconds': 0.066,
}

const failed = { ...sending, event: 'failed', 'log-level': 'error', severity: 'permanent' }

/**
 * The examples in Mailgun's documentation, with different addresses and texts, and with Flowpost's user variable.
 * Source: https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads
 */
const documented = {
  accepted: { ...sending, event: 'accepted', method: 'HTTP', 'api-key-id': '12345678-87654321' },
  delivered: { ...sending, event: 'delivered', 'delivery-status': { ...session, code: 250, message: 'OK', 'enhanced-code': null } },
  opened: { ...engagement, event: 'opened' },
  clicked: { ...engagement, event: 'clicked', url: 'https://example.com/invoice' },
  /** A reply from Outlook.com about an unknown user. */
  unavailable: {
    ...failed,
    reason: 'bounce',
    'delivery-status': {
      ...session,
      code: 550,
      message: '5.5.0 Requested action not taken: mailbox unavailable (S2017062302). [mail.receiver.example 2026-11-21T09:30:02.527Z 08DE]',
      'enhanced-code': '5.5.0',
      'bounce-type': 'hard',
    },
  },
  deferred: {
    ...failed,
    'log-level': 'warn',
    severity: 'temporary',
    reason: 'generic',
    'delivery-status': {
      'attempt-no': 1,
      code: 421,
      message: 'The address 203.0.113.9 is temporarily blocked, retry later',
      description: null,
      'session-seconds': 0.478,
      'retry-seconds': 600,
      'enhanced-code': null,
      'mx-host': 'mail.receiver.example',
      'first-delivery-attempt-seconds': 0.365,
    },
  },
  unsubscribed: { ...engagement, event: 'unsubscribed', tags: ['*'], storage: [] },
  complained: {
    ...every,
    event: 'complained',
    'log-level': 'warn',
    message: { headers, size: 612 },
    envelope: { 'sending-ip': '203.0.113.9' },
  },
} as const

/**
 * Events that other programs recorded, with different addresses and texts.
 * Source: https://github.com/anymail/django-anymail/blob/main/tests/test_mailgun_webhooks.py
 */
const recorded = {
  /** An event whose enhanced code is only in the text. */
  withoutCode: {
    ...failed,
    reason: 'bounce',
    'delivery-status': {
      ...session,
      description: '',
      code: 550,
      message: '5.7.1 Rejected as spam. Please see\n5.7.1 https://receiver.example/spam',
    },
  },
  noMailServer: {
    ...failed,
    'log-level': 'warn',
    severity: 'temporary',
    reason: 'generic',
    'delivery-status': {
      'attempt-no': 3,
      code: 498,
      message: 'No MX for receiver.example',
      description: 'No MX for receiver.example',
      'session-seconds': 0,
      'retry-seconds': 1_800,
    },
  },
  greylisted: {
    ...failed,
    'log-level': 'warn',
    severity: 'temporary',
    reason: 'greylisted',
    'delivery-status': { 'attempt-no': 1, code: 450, message: 'Recipient address rejected: Greylisted', 'retry-seconds': 300 },
  },
  /** An event about a message that Mailgun did not accept. Such an event has no recipient. */
  rejected: {
    ...every,
    recipient: undefined,
    event: 'rejected',
    'log-level': 'warn',
    reject: { reason: 'Sandbox subdomains are for test purposes only.', description: '' },
    message: { headers },
  },
} as const

/** The `event-data` in the reports from Mailgun's webhooks, keyed by name. */
export const mailgunEvents = {
  ...documented,
  ...recorded,
  bounced: {
    ...failed,
    reason: 'bounce',
    'delivery-status': {
      ...session,
      code: 550,
      'enhanced-code': '5.1.1',
      message: '5.1.1 The email account that you tried to reach does not exist.',
      'bounce-type': 'hard',
    },
  },
  /** A reply from Exchange Online about an unknown user. */
  unknownAtExchange: {
    ...failed,
    reason: 'bounce',
    'delivery-status': {
      ...session,
      code: 550,
      'enhanced-code': '5.4.1',
      message: '5.4.1 Recipient address rejected: Access denied. AS(201806281) [mail.receiver.example 2026-11-21T09:30:02.527Z 08DE]',
      'bounce-type': 'hard',
    },
  },
  /** Source: https://github.com/gitlabhq/gitlabhq/blob/master/spec/requests/members/mailgun/permanent_failure_spec.rb */
  suppressed: {
    ...failed,
    reason: 'suppress-bounce',
    'delivery-status': {
      'attempt-no': 1,
      message: '',
      code: 605,
      'enhanced-code': '',
      description: 'Not delivering to previously bounced address',
      'session-seconds': 0,
    },
  },
  expired: { ...failed, reason: 'old', 'delivery-status': { code: 602, description: '', message: 'Too old', 'attempt-no': 8 } },
  /** An event about another program's message from the same domain. Mailgun writes an empty object as an array. */
  foreign: { ...documented.delivered, 'user-variables': [] },
} as const

/** Returns a signed report, in the format of the request bodies that Mailgun's webhooks send. */
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
