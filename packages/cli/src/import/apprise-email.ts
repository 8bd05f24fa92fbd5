import { isLoopback } from '../environments/loopback.ts'
import type { AppriseUrl } from './apprise-url.ts'
import type { Mapping } from './imported-service.ts'

interface MailServer {
  readonly host: string
  readonly port: number
  readonly security: 'starttls' | 'tls'
  /** Whether the login is only the part of the address before the `@`. */
  readonly hasShortLogin?: boolean
}

/** The mail servers that Apprise selects by the sender's domain. */
const knownServers: readonly (readonly [RegExp, MailServer])[] = [
  [/^gmail\.com$/, { host: 'smtp.gmail.com', port: 587, security: 'starttls' }],
  [/^yandex\.(?:com|ru|ua|by|kz|uz|tr|fr)$/, { host: 'smtp.yandex.ru', port: 465, security: 'tls', hasShortLogin: true }],
  [/^yahoo\.(?:ca|com)$/, { host: 'smtp.mail.yahoo.com', port: 465, security: 'tls' }],
  [/^gmx\.(?:com|net|de|at|ch|fr)$/, { host: 'mail.gmx.com', port: 587, security: 'starttls' }],
  [/^fastmail\.[a-z.]{2,6}$/, { host: 'smtp.fastmail.com', port: 465, security: 'tls' }],
  [/^zoho(?:mail)?\.com$/, { host: 'smtp.zoho.com', port: 587, security: 'starttls' }],
  [/^sendgrid\.(?:com|net)$/, { host: 'smtp.sendgrid.net', port: 465, security: 'tls', hasShortLogin: true }],
  [/^163\.com$/, { host: 'smtp.163.com', port: 465, security: 'tls' }],
  [/^(?:foxmail|qq)\.com$/, { host: 'smtp.qq.com', port: 587, security: 'starttls' }],
  [/^comcast\.net$/, { host: 'smtp.comcast.net', port: 465, security: 'tls' }],
]

const microsoft = /^(?:hotmail|live|outlook|office365)\.com(?:\.au)?$/

/** Splits lists of addresses, and removes the display names. */
const readAddresses = (texts: readonly string[]): string[] => [
  ...new Set(
    texts
      .flatMap((text) => text.split(/[,;]/))
      .map((text) => (/<([^<>]+)>\s*$/.exec(text)?.[1] ?? text).trim())
      .filter((address) => address !== ''),
  ),
]

/** Formats a sender with an optional display name. */
const formatMailbox = (address: string, name: string | undefined): string => {
  const cleaned = (name ?? '').replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}<>"\\]/gu, '').trim()
  return cleaned === '' ? address : `"${cleaned.slice(0, 200)}" <${address}>`
}

const readSender = ({ params, host }: AppriseUrl, user: string | undefined): string | undefined => {
  const from = params.get('from')?.trim()
  const name = params.get('name')?.trim()
  const derived = user === undefined ? undefined : user.includes('@') ? user : `${user}@${host}`
  const bracketed = [from, name].map((text) => /^(.*?)<([^<>]+@[^<>]+)>\s*$/.exec(text ?? '')).find((match) => match)
  if (bracketed) return formatMailbox(bracketed[2]?.trim() ?? '', bracketed[1])
  if (from?.includes('@')) return formatMailbox(from, name)
  return derived === undefined ? undefined : formatMailbox(derived, name ?? from)
}

type Security = 'starttls' | 'tls' | 'none'

const chooseSecurity = ({ schema, params }: AppriseUrl, known: MailServer | undefined): Security => {
  const modes: Readonly<Record<string, Security>> = { ssl: 'tls', starttls: 'starttls', insecure: 'none' }
  return modes[params.get('mode')?.toLowerCase() ?? ''] ?? known?.security ?? (schema === 'mailtos' ? 'starttls' : 'none')
}

/** Maps `mailto://` and `mailtos://` to the provider `smtp`. */
export const mapEmail = (url: AppriseUrl): Mapping => {
  const { params, schema } = url
  const user = url.user ?? params.get('user')
  const password = url.password ?? params.get('pass')
  const from = readSender(url, user)
  if (from === undefined) return { reason: 'The URL has no sender. Add from= with an address.' }
  const [address = ''] = readAddresses([from])
  const domain = address.split('@')[1]?.toLowerCase() ?? ''
  const isDetected = !params.has('smtp')
  if (isDetected && microsoft.test(domain))
    return { reason: 'Microsoft does not accept passwords for SMTP. Set smtp= to another mail server.' }
  if (params.has('pgp') && params.get('pgp') !== 'no') return { reason: 'Flowpost does not sign or encrypt messages with PGP.' }
  const known = isDetected ? knownServers.find(([pattern]) => pattern.test(domain))?.[1] : undefined
  const host = params.get('smtp') ?? known?.host ?? url.host
  const wanted = chooseSecurity(url, known)
  const isUpgraded = wanted === 'none' && !isLoopback(host)
  const defaultPort = { tls: 465, starttls: 587, none: 25 }[wanted]
  const login = known && user !== undefined && !known.hasShortLogin && !user.includes('@') ? address : user
  const replies = readAddresses([params.get('reply') ?? ''])
  const targets = readAddresses([...url.path, params.get('to') ?? ''])
  return {
    sourceType: 'smtp',
    targets: targets.length > 0 ? targets : [address],
    settings: {
      host,
      port: url.port ?? known?.port ?? defaultPort,
      security: isUpgraded ? 'starttls' : wanted,
      ...(login !== undefined && { user: login }),
      from,
      ...(replies[0] !== undefined && { reply_to: replies[0] }),
    },
    secrets: password === undefined ? {} : { password },
    losses: [
      ...(isUpgraded ? [`${schema}:// sends without TLS, which Flowpost permits only to loopback hosts; security is set to STARTTLS`] : []),
      ...(params.has('cc') || params.has('bcc') ? ['cc= and bcc= are left out: a flow has one recipient'] : []),
      ...(replies.length > 1 ? ['only the first address of reply= is used'] : []),
    ],
  }
}

/** Maps `mailgun://` to the provider `mailgun`. */
export const mapMailgun = (url: AppriseUrl): Mapping => {
  const { user, host, params } = url
  const [apiKey, ...path] = url.path
  if (user === undefined || apiKey === undefined)
    return { reason: 'The URL needs a user, a domain and an API key: mailgun://user@domain/key/.' }
  const region = params.get('region')?.toLowerCase() ?? 'us'
  if (region !== 'us' && region !== 'eu') return { reason: 'The region must be us or eu.' }
  const address = user.includes('@') ? user : `${user}@${host}`
  const targets = readAddresses([...path, params.get('to') ?? ''])
  return {
    sourceType: 'mailgun',
    targets: targets.length > 0 ? targets : [address],
    settings: { domain: host.toLowerCase(), region, from: formatMailbox(address, params.get('name') ?? params.get('from')) },
    secrets: { api_key: apiKey },
    losses: params.has('cc') || params.has('bcc') ? ['cc= and bcc= are left out: a flow has one recipient'] : [],
  }
}
