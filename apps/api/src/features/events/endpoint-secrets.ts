import { randomBytes } from 'node:crypto'
import { DecryptionError, type Encryption } from '../../shared/encryption.ts'
import type { Uuid } from '../../shared/ids.ts'

/** The signing secrets of an event endpoint. */
export interface EndpointSecrets {
  readonly current: string
  /** The secret that was current before the last rotation. It also signs requests, up to the time `until`. */
  readonly previous?: { readonly secret: string; readonly until: string }
}

/** The failure code of a request that was not sent, because no key of the deployment can decrypt the signing secret. */
export const unreadableCode = 'secret_unreadable'

/** How long the previous secret still signs requests after a rotation, in milliseconds. */
const previousSecretTtlMs = 24 * 3_600_000

// Standard Webhooks requires 24 to 64 random bytes.
const secretBytes = 32

/** Creates a signing secret. */
export const createSecret = (): string => `whsec_${randomBytes(secretBytes).toString('base64')}`

/** Returns the secrets after a rotation: `secret` becomes current, and the current secret becomes the previous one. */
export const rotate = (secrets: EndpointSecrets | undefined, secret: string, now: Date): EndpointSecrets => ({
  current: secret,
  ...(secrets && { previous: { secret: secrets.current, until: new Date(now.getTime() + previousSecretTtlMs).toISOString() } }),
})

/** Returns the secrets that sign requests now, the current one first. */
export const signingSecrets = ({ current, previous }: EndpointSecrets, now: Date): string[] =>
  previous && new Date(previous.until) > now ? [current, previous.secret] : [current]

const contextOf = (id: Uuid): string[] => ['event-endpoint', id]

/** Encrypts an endpoint's secrets. The ciphertext is bound to the endpoint's id. */
export const encryptSecrets = (encryption: Encryption, id: Uuid, secrets: EndpointSecrets): Buffer =>
  encryption.encrypt(JSON.stringify(secrets), contextOf(id))

/**
 * Decrypts an endpoint's secrets.
 * @throws DecryptionError
 */
export const decryptSecrets = (encryption: Encryption, row: { readonly id: Uuid; readonly secrets: Uint8Array }): EndpointSecrets =>
  JSON.parse(encryption.decrypt(row.secrets, contextOf(row.id))) as EndpointSecrets

/** Decrypts an endpoint's secrets. Returns `undefined` if none of the deployment's keys can decrypt them. */
export const decryptIfPossible = (
  encryption: Encryption,
  row: { readonly id: Uuid; readonly secrets: Uint8Array },
): EndpointSecrets | undefined => {
  try {
    return decryptSecrets(encryption, row)
  } catch (error) {
    if (error instanceof DecryptionError) return undefined
    throw error
  }
}
