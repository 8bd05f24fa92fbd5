import { hash } from 'node:crypto'
import type { Uuid } from '../../shared/ids.ts'

/**
 * Returns the id of a bootstrap key. A key that is listed again for the same user gets the same id again, so the keys that
 * were created with it belong to it again. The id is a UUIDv8 that sorts before the ids of other keys.
 * @param tokenHash the hash of the key's token, in hexadecimal digits.
 */
export const bootstrapKeyId = (userId: string, tokenHash: string): Uuid => {
  const digits = hash('sha256', JSON.stringify([userId, tokenHash]))
  return `00000000-0000-8${digits.slice(0, 3)}-8${digits.slice(3, 6)}-${digits.slice(6, 18)}`
}
