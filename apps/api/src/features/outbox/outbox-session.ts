import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** The two secrets that open the outbox of one process. Both are valid until the process ends. */
export interface OutboxSession {
  /** The token in the printed link: 256 random bits. */
  readonly token: string
  /** The value of the cookie that replaces the token. */
  readonly cookie: string
  /** Returns whether `token` is the token in the printed link. */
  acceptsToken(token: string): boolean
  /** Returns whether `value` is the cookie's value. */
  acceptsCookie(value: string): boolean
}

/** Compares two strings in constant time. They are hashed first, because the comparison requires equal lengths. */
const isEqual = (given: string, secret: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', secret, 'buffer'))

/**
 * Creates the secrets for one process.
 * @param randomToken returns a new secret of URL-safe characters. @default 256 random bits
 */
export const createOutboxSession = (randomToken = () => randomBytes(32).toString('base64url')): OutboxSession => {
  const token = randomToken()
  // The token and the cookie are separate secrets, so neither can be derived from the other.
  const cookie = randomToken()
  return {
    token,
    cookie,
    acceptsToken: (given) => isEqual(given, token),
    acceptsCookie: (given) => isEqual(given, cookie),
  }
}
