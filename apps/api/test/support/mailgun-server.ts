import { createHmac, randomBytes } from 'node:crypto'
import { createMailgun, type Provider } from '@flowpost/delivery'
import { type LocalServer, startLocalServer } from './local-server.ts'

/** The form fields of a message that Mailgun has accepted, keyed by name. */
export type MailgunMessage = Readonly<Record<string, string>>

/** A server that implements the messages API and the webhooks of one Mailgun domain. */
export interface MailgunServer extends LocalServer {
  readonly provider: Provider
  readonly domain: string
  /** A key that can do nothing but send messages from the domain. */
  readonly sendingKey: string
  readonly signingKey: string
  readonly accepted: readonly MailgunMessage[]
  /** Adds a webhook, which receives reports about all messages so far and from now on. Recipients `nobody@…` do not exist. */
  addWebhook(url: string): void
  /** Resolves with the response statuses of all reports, once all responses have arrived. */
  reported(): Promise<readonly number[]>
}

const readForm = (body: string, contentType: string): MailgunMessage => {
  const [, boundary = ''] = /boundary=(.+)$/.exec(contentType) ?? []
  const parts = body.split(`--${boundary}`).flatMap((part) => {
    const [, name, value] = /name="([^"]+)"\r\n\r\n([\s\S]*)\r\n$/.exec(part) ?? []
    return name === undefined || value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(parts)
}

const outcomeOf = (recipient: string) =>
  recipient.startsWith('nobody@')
    ? {
        event: 'failed',
        severity: 'permanent',
        reason: 'bounce',
        'delivery-status': { code: 550, 'enhanced-code': '5.1.1', message: 'No such user', 'bounce-type': 'hard' },
      }
    : { event: 'delivered', 'delivery-status': { code: 250, message: 'OK' } }

/**
 * Starts the server.
 * Sources: https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages,
 * https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
 */
export const startMailgunServer = async (): Promise<MailgunServer> => {
  const domain = 'mg.example.com'
  const sendingKey = 'f3c1d7e09ab24c55-8d1e2f3a'
  const signingKey = '9b2e6a4c0d8f4f11'
  const accepted: MailgunMessage[] = []
  const webhooks: string[] = []
  const reports: Promise<number>[] = []

  const report = async (url: string, { to = '', 'v:flowpost_delivery_id': deliveryId }: MailgunMessage): Promise<number> => {
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const token = randomBytes(25).toString('hex')
    const signature = createHmac('sha256', signingKey).update(`${timestamp}${token}`).digest('hex')
    const variables = { flowpost_delivery_id: deliveryId }
    const data = { timestamp: Date.now() / 1_000, recipient: to, 'user-variables': variables, ...outcomeOf(to) }
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ signature: { timestamp, token, signature }, 'event-data': data }),
    })
    return response.status
  }

  const server = await startLocalServer(({ method, path, headers, body }) => {
    if (headers.authorization !== `Basic ${Buffer.from(`api:${sendingKey}`).toString('base64')}`) return { status: 401, body: 'Forbidden' }
    // A sending key cannot do anything else.
    if (method !== 'POST' || !path.endsWith('/messages')) return { status: 403, body: { message: 'Forbidden' } }
    if (path !== `/v3/${domain}/messages`) return { status: 404, body: { message: 'Domain not found' } }
    const message = readForm(body, headers['content-type'] ?? '')
    if (!message['from']) return { status: 400, body: { message: "'from' parameter is missing" } }
    accepted.push(message)
    for (const url of webhooks) reports.push(report(url, message))
    return { status: 200, body: { id: `<${accepted.length}@${domain}>`, message: 'Queued. Thank you.' } }
  })
  return {
    ...server,
    provider: createMailgun({ apiUrl: server.url }),
    domain,
    sendingKey,
    signingKey,
    accepted,
    addWebhook: (url) => {
      webhooks.push(url)
      for (const message of accepted) reports.push(report(url, message))
    },
    reported: () => Promise.all(reports),
  }
}
