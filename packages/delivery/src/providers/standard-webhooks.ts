import { createHmac } from 'node:crypto'
import { signingSecretPrefix } from '@flowpost/domain'

/**
 * Signs a request, with each secret: `v1,` and the HMAC-SHA256 of id, timestamp and body, in base64.
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 *
 * @param timestamp Seconds since the Unix epoch.
 * @returns The value of the header `webhook-signature`.
 */
export function signWebhook(secrets: readonly string[], id: string, timestamp: number, body: string): string {
  return secrets
    .map((secret) => createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64'))
    .map((signature) => `v1,${signature}`)
    .join(' ')
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(signingSecretPrefix.length), 'base64')
}
