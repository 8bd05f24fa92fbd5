import type { Encryption } from '../../shared/encryption.ts'
import type { Uuid } from '../../shared/ids.ts'

const contextOf = (id: Uuid): string[] => ['erasures', id]

/**
 * Encrypts the normalized address (`recipientKey`) of an erasure's recipient. The address is stored only until the erasure
 * is done.
 */
export const encryptAddress = (encryption: Encryption, id: Uuid, key: string): Buffer => encryption.encrypt(key, contextOf(id))

/**
 * Decrypts the normalized address (`recipientKey`) of an erasure's recipient.
 * @throws DecryptionError
 */
export const decryptAddress = (encryption: Encryption, id: Uuid, encrypted: Uint8Array): string =>
  encryption.decrypt(encrypted, contextOf(id))
