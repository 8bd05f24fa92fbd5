import { scopes as knownScopes, type Scope } from '../access.ts'
import type { FieldError } from '../problem.ts'

/** What matters of the credential that makes a key. */
export interface KeyMaker {
  readonly scopes: readonly Scope[]
  /** When it ends, in milliseconds since the epoch; left out when it does not. */
  readonly expiresAt?: number | undefined
}

const scopeFaults = ({ scopes }: KeyMaker, asked: unknown): FieldError[] => {
  if (!Array.isArray(asked)) return []
  return asked.flatMap((scope: unknown, index): FieldError[] => {
    const isKnown = (knownScopes as readonly unknown[]).includes(scope)
    if (!isKnown || (scopes as readonly unknown[]).includes(scope)) return []
    const message = `Must be a scope of the credential that makes the key: ${scopes.join(', ')}.`
    return [{ in: 'body', pointer: `/scopes/${index}`, code: 'invalid_value', message }]
  })
}

// The last one that RFC 3339 can write. With an offset, a text can name a later one.
const lastInstantMs = Date.parse('9999-12-31T23:59:59.999Z')

const expiryFaults = ({ expiresAt }: KeyMaker, nowMs: number, asked: unknown): FieldError[] => {
  const at = typeof asked === 'string' ? Date.parse(asked) : Number.NaN
  const fault = (message: string): FieldError[] => [{ in: 'body', pointer: '/expires_at', code: 'invalid_value', message }]
  if (at <= nowMs) return fault('Must be in the future.')
  if (expiresAt !== undefined && at > expiresAt)
    return fault(`Must not be later than the credential that makes the key ends: ${new Date(expiresAt).toISOString()}.`)
  if (at > lastInstantMs) return fault('Must be before the year 10000 in UTC.')
  return []
}

/**
 * What the body of a new key asks for beyond what the credential has itself: a fault for each scope too many, and for
 * the expiry. What the schema refuses is not judged.
 */
export const apiKeyFaults = (maker: KeyMaker, nowMs: number, body: unknown): FieldError[] => {
  if (body === null || typeof body !== 'object') return []
  const { scopes, expires_at } = body as { scopes?: unknown; expires_at?: unknown }
  return [...scopeFaults(maker, scopes), ...expiryFaults(maker, nowMs, expires_at)]
}

/** The scopes of a new key: in the order of the contract and each once, whatever the order they were asked for in. */
export const orderedScopes = (asked: readonly Scope[]): Scope[] => knownScopes.filter((scope) => asked.includes(scope))
