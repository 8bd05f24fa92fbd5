// Each schema has a description of its format, for the configuration reference.
import { BlockList, isIP } from 'node:net'
import { z } from 'zod'
import { isTestToken } from '../auth/token.ts'
import { keyOwner } from '../auth/user-id.ts'
import { connectionUrlIssue } from '../database/postgres/connection-url.ts'
import { parseEncryptionKeys } from '../shared/encryption-keys.ts'
import { isSecureUrl } from '../shared/secure-url.ts'

/** Splits text at commas, trims the entries and drops empty ones. */
const splitList = (value: string): string[] => value.split(',').flatMap((entry) => entry.trim() || [])

/** Accepts one of the given values. */
export const oneOf = <const T extends readonly string[]>(values: T) =>
  z
    .enum(values, { error: `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}` })
    .describe(values.map((value) => `\`${value}\``).join(', '))

/** Accepts `on` or `off`. */
export const flag = oneOf(['on', 'off'])

/** Parses a whole number from `min` to `max`. */
export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`)
    .describe(`Whole number from ${min} to ${max}`)

/** Accepts a URL with one of the given protocols, such as `smtp:`. */
export const url = (protocols: readonly string[]) =>
  z
    .string()
    .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
      error: `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    })
    .describe(`URL that starts with ${protocols.map((protocol) => `\`${protocol}//\``).join(' or ')}`)

/** Accepts the URL of a PostgreSQL database. */
export const databaseUrl = z
  .string()
  .superRefine((value, context) => {
    const issue = connectionUrlIssue(value)
    if (issue !== undefined) context.addIssue(issue)
  })
  .describe('URL that starts with `postgres://` or `postgresql://`, with one host')

/** Parses a comma-separated list. */
export const list = z.string().transform(splitList).describe('Comma-separated list')

/**
 * Parses `FLOWPOST_BOOTSTRAP_KEYS`: comma-separated `<user_id>:<key>` entries, or `none` for an empty list. An error
 * message identifies an entry by its position, because the entry contains a secret.
 */
export const bootstrapKeys = z
  .string()
  .describe('Comma-separated `<user_id>:<key>` entries, or `none`. A key is `fp_` and at least 32 characters of `A-Za-z0-9_-`')
  .transform((value, context) => {
    if (value === 'none') return []
    const positions = new Map<string, number>()
    const entries = splitList(value)
    // Keys that are not listed are revoked, so an empty list must be explicit.
    if (entries.length === 0)
      context.addIssue('lists no key: set comma-separated <user_id>:<key> entries, or "none" to revoke all bootstrap keys')
    return entries.map((entry, index) => {
      const at = entry.lastIndexOf(':')
      const userId = entry.slice(0, at)
      const token = entry.slice(at + 1)
      const position = index + 1
      if (at < 1 || !/^fp_[A-Za-z0-9_-]{32,}$/.test(token))
        context.addIssue(
          `entry ${position} must be <user_id>:<key>, where the key is "fp_" followed by at least 32 characters of A-Z a-z 0-9 _ -`,
        )
      if (isTestToken(token)) context.addIssue(`entry ${position} is a test key: bootstrap keys must be live keys`)
      const userIssue = at < 1 ? undefined : keyOwner.safeParse(userId).error?.issues[0]?.message
      if (/fp_[A-Za-z0-9_-]{32}/.test(userId)) context.addIssue(`entry ${position} has two keys: separate entries with commas`)
      else if (userIssue !== undefined) context.addIssue(`entry ${position}: a user id ${userIssue}`)
      const earlier = positions.get(token)
      if (earlier !== undefined) context.addIssue(`entry ${position} has the same key as entry ${earlier}: list each key once`)
      else positions.set(token, position)
      return { userId, token }
    })
  })

/**
 * Accepts `FLOWPOST_OIDC_ISSUER`. The text is not normalized, because the `iss` claim of a token must equal it exactly
 * (OpenID Connect Core 1.0, section 2).
 */
export const oidcIssuer = z
  .string()
  .describe('`https://` URL, or `http://` URL on this machine')
  .refine((value) => {
    if (!isSecureUrl(value) || /[?#]/.test(value)) return false
    const { username, password } = new URL(value)
    return username === '' && password === ''
  }, 'must be an https:// URL, or an http:// URL on this machine, without user, password, query or fragment')

const maxClockErrorMs = 60_000

/** Parses an RFC 3339 timestamp. Rejects a time in the future. */
export const instant = z.iso
  .datetime({ offset: true, error: 'must be a timestamp such as 2026-11-24T09:30:00Z' })
  .describe('Timestamp such as `2026-11-24T09:30:00Z`, not in the future')
  .transform((value) => new Date(value))
  .refine((value) => value.getTime() <= Date.now() + maxClockErrorMs, 'must not be in the future')

/** Parses `FLOWPOST_RATE_LIMIT`: `<requests>/<seconds>`, or `off`, which becomes `null`. */
export const rateLimit = z
  .string()
  .describe('`<requests>/<seconds>`, or `off`')
  .transform((value, context) => {
    if (value === 'off') return null
    const [, requests = 0, seconds = 0] = (/^(\d{1,9})\/(\d{1,5})$/.exec(value) ?? []).map(Number)
    if (requests < 1 || seconds < 1 || seconds > 86_400)
      context.addIssue('must be "off" or <requests>/<seconds>, such as 6000/60, with at most 86400 seconds')
    return { requests, seconds }
  })

/** Returns whether an entry is an address, or a network in CIDR notation. */
const isNetwork = (entry: string): boolean => {
  const [address = '', prefix, ...rest] = entry.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0 || !/^\d{1,3}$/.test(prefix ?? '0')) return false
  try {
    new BlockList().addSubnet(address, Number(prefix ?? 0), version === 4 ? 'ipv4' : 'ipv6')
    return true
  } catch {
    return false
  }
}

/** Parses `FLOWPOST_EGRESS_ALLOW`: a comma-separated list of addresses and networks. */
export const networks = z
  .string()
  .describe('Comma-separated list of addresses and networks such as `10.0.0.0/8`')
  .transform((value, context) => {
    const entries = splitList(value)
    for (const entry of entries)
      if (!isNetwork(entry)) context.addIssue(`${JSON.stringify(entry)} must be an address, or a network such as 10.0.0.0/8 or fd00::/8`)
    return entries
  })

const namedNetworks = ['loopback', 'linklocal', 'uniquelocal']

const mappedNetwork = '::ffff:0:0'
const mappedPrefix = 96
const minPrefix = 8

const networkOf = (address: string, prefix: number): BlockList => {
  const network = new BlockList()
  network.addSubnet(address, prefix, 'ipv6')
  return network
}

/**
 * Returns whether a network is too large to be trusted: its prefix is shorter than 8, or it contains more than 2^24
 * IPv4-mapped addresses, the size of an IPv4 network with the prefix 8.
 */
const isTooLarge = (entry: string): boolean => {
  const [address = '', text] = entry.split('/')
  if (text === undefined) return false
  const prefix = Number(text)
  if (prefix < minPrefix || isIP(address) === 4) return prefix < minPrefix
  const containsMapped = networkOf(address, prefix).check(mappedNetwork, 'ipv6')
  const isMapped = networkOf(mappedNetwork, mappedPrefix).check(address, 'ipv6')
  return (containsMapped || isMapped) && prefix < mappedPrefix + minPrefix
}

const isTrusted = (entry: string): boolean => namedNetworks.includes(entry) || (isNetwork(entry) && !isTooLarge(entry))

/** Parses `FLOWPOST_TRUST_PROXY`: the number of proxies in front of the server, or their addresses. */
export const trustProxy = z
  .string()
  .describe('Number of proxies from 1 to 99, comma-separated list of addresses and networks, or `off`')
  .transform((value, context): false | number | string[] => {
    if (value === 'off') return false
    if (/^[1-9]\d?$/.test(value)) return Number(value)
    const entries = splitList(value)
    if (entries.length === 0 || !entries.every(isTrusted))
      // Rejects `true`, 0.0.0.0/0 and two halves of it, although Express accepts them. They trust every address, so any client
      // could choose its own IP address and bypass the limit for failed authentications.
      context.addIssue(
        'must be "off", a number of proxies from 1 to 99, or a list of addresses, networks (such as 10.0.0.0/8, with a prefix ' +
          `of at least ${minPrefix}) or named networks (${namedNetworks.join(', ')})`,
      )
    return entries
  })

/** Parses `FLOWPOST_CORS_ORIGINS`: a comma-separated list of exact origins. */
export const corsOrigins = z
  .string()
  .describe('Comma-separated list of origins such as `https://app.example.com`')
  .transform((value, context) => {
    const entries = splitList(value)
    for (const entry of entries) {
      const origin = URL.canParse(entry) ? new URL(entry).origin : undefined
      if (origin === entry && /^https?:[^*]*$/.test(entry)) continue
      const hint = origin !== undefined && /^https?:/.test(origin) ? `; did you mean ${origin}?` : ''
      context.addIssue(`${JSON.stringify(entry)} must be an origin such as https://app.example.com, without path or wildcard${hint}`)
    }
    return entries
  })

/** Parses `FLOWPOST_ENCRYPTION_KEY`; see {@link parseEncryptionKeys}. */
export const encryptionKeys = z
  .string()
  .describe('Comma-separated list of `<id>:<base64 of 32 bytes>`')
  .transform((value, context) => {
    const { keys, issues } = parseEncryptionKeys(value)
    for (const issue of issues) context.addIssue(issue)
    return keys
  })

/** Parses `FLOWPOST_SHARED_CREDENTIALS`: `all`, `none` or a list of user ids. */
export const sharedCredentials = z
  .string()
  .describe('`all`, `none`, or a comma-separated list of user ids')
  .transform((value, context) => {
    const only = value.trim()
    if (only === 'all' || only === 'none') return only
    const entries = splitList(value)
    if (entries.length === 0 || entries.some((entry) => /^(?:all|none)$/i.test(entry)))
      context.addIssue('must be "all", "none", or a list of user ids that does not contain "all" or "none"')
    return entries
  })
