import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { type Channels, keySpellings, recipientKey } from '@flowpost/domain'
import { type ApiError, misconfigured } from '../../../shared/api-error.ts'
import { createEncryption, type Encryption } from '../../../shared/encryption.ts'
import { toUuid, type Uuid } from '../../../shared/ids.ts'

/** A recipient's digest: 128 bits in the form of a UUID. */
export type RecipientDigest = Uuid

/** The addresses and digests under which a recipient may be stored. A search looks for all of them. */
export interface RecipientForms {
  /**
   * The address as it was given, and its canonical form for each provider that the search covers, each in all its
   * `keySpellings`. Providers can define different forms. Contains no duplicates.
   */
  readonly targets: readonly string[]
  readonly digests: readonly RecipientDigest[]
}

/** Computes digests of recipients. */
export interface Recipients {
  /** Returns the digest of a delivery's recipient; `null` if this process has no digest key. */
  digestOf(delivery: { readonly user_id: string; readonly source_type: string; readonly target: string }): RecipientDigest | null
  /**
   * Returns the addresses and digests under which a user's recipient may be stored. If `sourceType` is undefined,
   * covers all providers.
   * @throws ApiError `unavailable` if this process has no digest key.
   */
  formsOf(userId: string, target: string, sourceType: string | undefined): RecipientForms
  /**
   * Returns the digest that identifies a recipient in suppressions and erasures. It is the digest of the
   * `recipientKey`, so the case of an email address does not matter.
   * @throws ApiError `unavailable` if this process has no digest key.
   */
  identityOf(userId: string, sourceType: string, target: string): RecipientDigest
  /**
   * Returns the digest of a `recipientKey`.
   * @throws ApiError `unavailable` if this process has no digest key.
   */
  identityOfKey(userId: string, key: string): RecipientDigest
  /**
   * Returns the digests under which a recipient may be stored in suppressions and erasures: first {@link identityOf}, then
   * the digests of the key's other `keySpellings`, which earlier releases stored.
   * @throws ApiError `unavailable` if this process has no digest key.
   */
  identitiesOf(userId: string, sourceType: string, target: string): readonly RecipientDigest[]
  /**
   * Returns the digests of a `recipientKey` and of its other `keySpellings`, like {@link identitiesOf}.
   * @throws ApiError `unavailable` if this process has no digest key.
   */
  identitiesOfKey(userId: string, key: string): readonly RecipientDigest[]
  /** Whether this process can compute digests. */
  readonly hasKey: boolean
  /**
   * Encrypts and decrypts addresses that are stored for a short time. The encryption key is derived from the digest key.
   * `undefined` if this process has no digest key.
   */
  readonly encryption: Encryption | undefined
}

/** Returns the error for a missing digest key. A request fails with this error if it needs the digest of a recipient. */
export const recipientKeyMissing = (): ApiError =>
  misconfigured('The server cannot identify recipients, because an encryption key is missing. Contact the operator.')

const hexDigits = 32

// The digests and the encryption must not use the same key, so the encryption key is derived from the digest key (RFC 5869).
const deriveKey = (key: Buffer): KeyObject => createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'flowpost addresses', 32)))

/**
 * Creates a {@link Recipients}. A recipient's digest is an HMAC-SHA-256 (RFC 2104) of the user id and the canonical
 * address, shortened to 128 bits. The user id gives the same address a different digest for each user.
 * @param key the digest key, which never changes; `undefined` if it cannot be decrypted. See `openRecipientKey`.
 */
export const createRecipients = (key: Buffer | undefined, channels: Channels): Recipients => {
  /**
   * Returns the canonical form of a target. Returns an invalid target, or a target of an unregistered provider,
   * unchanged.
   */
  const canonicalOf = (sourceType: string, target: string): string => {
    const parsed = channels.get(sourceType)?.parseTarget(target)
    return parsed?.ok ? parsed.key : target
  }
  // In Node 24, an HMAC takes 2 µs with a `KeyObject`, but 9 µs with a `Buffer`.
  const hmacKey = key && createSecretKey(key)
  // U+0000 separates the two values unambiguously, because no user id contains it.
  const digest = (withKey: KeyObject, userId: string, canonical: string): RecipientDigest =>
    toUuid(createHmac('sha256', withKey).update(`${userId}\0${canonical}`).digest('hex').slice(0, hexDigits))

  const identityOfKey: Recipients['identityOfKey'] = (userId, canonical) => {
    if (!hmacKey) throw recipientKeyMissing()
    return digest(hmacKey, userId, canonical)
  }
  const identitiesOfKey: Recipients['identitiesOfKey'] = (userId, canonical) =>
    keySpellings(canonical).map((spelling) => identityOfKey(userId, spelling))

  return {
    hasKey: key !== undefined,
    encryption: key && createEncryption([{ id: 'recipients', key: deriveKey(key) }]),
    identityOfKey,
    identitiesOfKey,
    identitiesOf: (userId, sourceType, target) => identitiesOfKey(userId, recipientKey(channels, sourceType, target)),
    identityOf: (userId, sourceType, target) => identityOfKey(userId, recipientKey(channels, sourceType, target)),
    digestOf: ({ user_id, source_type, target }) => (hmacKey ? digest(hmacKey, user_id, canonicalOf(source_type, target)) : null),
    formsOf: (userId, target, sourceType) => {
      if (!hmacKey) throw misconfigured('The server cannot search by target, because an encryption key is missing. Contact the operator.')
      const sourceTypes = sourceType === undefined ? channels.ids : [sourceType]
      // Includes the unchanged `target`, because no canonical form is known for a provider that is no longer registered.
      const targets = [...new Set([target, ...sourceTypes.map((id) => canonicalOf(id, target)).flatMap(keySpellings)])]
      return { targets, digests: targets.map((canonical) => digest(hmacKey, userId, canonical)) }
    },
  }
}
