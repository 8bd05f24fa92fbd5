import { createHmac } from 'node:crypto'
import type { Channels } from '@flowpost/domain'
import { ApiError } from '../../../shared/api-error.ts'
import type { Uuid } from '../../../shared/ids.ts'

/** A digest of a recipient: 128 bits in the form of a UUID. */
export type RecipientDigest = Uuid

/** A recipient in the forms in which it is compared. */
export interface RecipientForms {
  /** The canonical forms. Several, because the channel of a recipient may be unknown. */
  readonly targets: readonly string[]
  readonly digests: readonly RecipientDigest[]
}

/** Computes digests of recipients. */
export interface Recipients {
  /** Returns the digest of the recipient of a delivery; `null` if this process has no key. */
  digestOf(delivery: { readonly user_id: string; readonly source_type: string; readonly target: string }): RecipientDigest | null
  /**
   * Returns the forms of a recipient of a user, for one provider, or for all providers if `sourceType` is undefined.
   * @throws ApiError `unavailable` if this process has no key.
   */
  formsOf(userId: string, target: string, sourceType: string | undefined): RecipientForms
}

const hexDigits = 32

const toUuid = (hex: string): Uuid => `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`

/**
 * Creates a {@link Recipients}. A digest is an HMAC-SHA-256 (RFC 2104) of the user and the canonical recipient, shortened to
 * 128 bits. It covers the user, so equal digests reveal nothing about the recipients of other users.
 * @param key a key that never changes; `undefined` if it cannot be decrypted: see `openRecipientKey`.
 */
export const createRecipients = (key: Buffer | undefined, channels: Channels): Recipients => {
  /** Returns what identifies a receiver on its channel. */
  const canonicalOf = (sourceType: string, target: string): string => {
    const parsed = channels.get(sourceType)?.parseTarget(target)
    return parsed?.ok ? parsed.key : target
  }
  // No user id contains U+0000.
  const digest = (secret: Buffer, userId: string, canonical: string): RecipientDigest =>
    toUuid(createHmac('sha256', secret).update(`${userId}\0${canonical}`).digest('hex').slice(0, hexDigits))

  return {
    digestOf: ({ user_id, source_type, target }) => (key ? digest(key, user_id, canonicalOf(source_type, target)) : null),
    formsOf: (userId, target, sourceType) => {
      if (!key) throw new ApiError('unavailable', 'The server cannot search by target, because an encryption key is missing.')
      const sourceTypes = sourceType === undefined ? channels.ids : [sourceType]
      // The target itself is how a provider that is no longer served has stored it.
      const targets = [...new Set([target, ...sourceTypes.map((id) => canonicalOf(id, target))])]
      return { targets, digests: targets.map((canonical) => digest(key, userId, canonical)) }
    },
  }
}
