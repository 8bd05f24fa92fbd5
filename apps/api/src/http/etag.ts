import { createHash } from 'node:crypto'

/** Returns the strong entity tag of a representation: a hash of its JSON (RFC 9110, section 8.8.3). */
export const etagOf = (representation: unknown): string =>
  `"${createHash('sha256').update(JSON.stringify(representation)).digest('base64url').slice(0, 22)}"`
