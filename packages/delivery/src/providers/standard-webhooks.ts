import { createHmac } from 'node:crypto'
import { z } from 'zod'

const prefix = 'whsec_'

/** A field for a signing secret: `whsec_` and 24 to 64 bytes in base64. */
export const signingSecretField = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/, 'Give whsec_ and a key in base64.')
  .refine((text) => keyOf(text).length >= 24 && keyOf(text).length <= 64, 'The key must have 24 to 64 bytes.')

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
  return Buffer.from(secret.slice(prefix.length), 'base64')
}
