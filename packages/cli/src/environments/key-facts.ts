import { CliError } from '../cli-error.ts'

/** The facts about a credential that the credential itself contains. */
export interface KeyFacts {
  readonly kind: 'api_key' | 'access_token'
  /** The id of the API key; `null` for bootstrap keys, which do not contain an id, and for access tokens. */
  readonly id: string | null
  /** `test` for a test key, whose messages are always captured. */
  readonly mode: 'live' | 'test'
  /** The user that an access token names; `null` for API keys, and for tokens without a user. */
  readonly subject: string | null
  /** When an access token expires, as an RFC 3339 time; `null` for API keys, and for tokens without an expiry. */
  readonly expiresAt: string | null
}

/**
 * Checks that a text consists of visible ASCII characters, because a key with other characters cannot be sent. The error does
 * not repeat the text, because most of it may be a key.
 *
 * @param origin The variable that contains the text, if the user did not just enter it.
 * @throws {CliError} When the text contains other characters.
 */
export const requireKey = (text: string, origin?: string): void => {
  if (/^[!-~]+$/.test(text)) return
  throw new CliError('The key contains a character that no key has, such as a space, a line break or "…".', origin && `Correct ${origin}.`)
}

const readClaims = (token: string): Record<string, unknown> => {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
    return typeof claims === 'object' && claims !== null ? { ...claims } : {}
  } catch {
    return {}
  }
}

/** Reads the facts that a credential contains, without asking the server. Does not verify access tokens. */
export const readKeyFacts = (apiKey: string): KeyFacts => {
  if (!apiKey.startsWith('fp_')) {
    const { sub, exp } = readClaims(apiKey)
    return {
      kind: 'access_token',
      id: null,
      mode: 'live',
      subject: typeof sub === 'string' ? sub : null,
      expiresAt: typeof exp === 'number' && Math.abs(exp) < 8.64e12 ? new Date(exp * 1_000).toISOString() : null,
    }
  }
  const [, test, id] = /^fp_(test_)?([0-7][0-9a-hjkmnp-tv-z]{25})_/.exec(apiKey) ?? []
  return {
    kind: 'api_key',
    id: id === undefined ? null : `key_${id}`,
    mode: test === undefined ? 'live' : 'test',
    subject: null,
    expiresAt: null,
  }
}

/** Describes a credential in a few words, without its secret. */
export const describeKey = ({ kind, id, mode, subject }: KeyFacts): string => {
  if (kind === 'access_token') return subject === null ? 'access token' : `user ${subject}`
  return `${mode === 'test' ? 'test key' : 'key'} ${id ?? 'without an id'}`
}
