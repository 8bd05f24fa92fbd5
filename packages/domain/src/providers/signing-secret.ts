import { z } from 'zod'

/** What a signing secret starts with; the key follows in base64. */
export const signingSecretPrefix = 'whsec_'

const keyBytes = (secret: string): number => Math.floor((secret.slice(signingSecretPrefix.length).replace(/=+$/, '').length * 3) / 4)

/** A field for a signing secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. */
export const signingSecretField = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/, 'Give whsec_ and a key in base64.')
  .refine((text) => keyBytes(text) >= 24 && keyBytes(text) <= 64, 'The key must have 24 to 64 bytes.')
