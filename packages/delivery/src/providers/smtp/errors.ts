import type { FailureKind } from '@flowpost/domain'
import { DeliveryError } from '../../delivery-error.ts'
import { isSenderRejection } from './sender-rejection.ts'

/** The step of an SMTP session in which an error occurred. */
export type SmtpStep = 'connect' | 'authenticate' | 'send'

/** An error from nodemailer. */
export type NodemailerError = Error & { code?: string; originalCode?: string; command?: string; response?: string }

/**
 * The error for a failed SMTP session. Contains the step that failed, and the message, codes, command and reply of the
 * original error.
 */
export class SmtpConnectionError extends Error {
  override readonly name = 'SmtpConnectionError'
  readonly step: SmtpStep
  /** Whether the server may have received the whole message. */
  readonly transferred: boolean
  /**
   * The error code from nodemailer or from this package, such as `EAUTH`. If no TCP connection could be opened, this
   * is the code from the operating system or DNS, such as `ECONNREFUSED`.
   */
  readonly code: string
  /** The original error code, such as `ECONNRESET`, if nodemailer replaced it with a different code; otherwise `undefined`. */
  readonly systemCode: string | undefined
  readonly command: string | undefined
  /** The server's reply that caused the failure. */
  readonly response: string | undefined

  constructor(step: SmtpStep, transferred: boolean, cause: NodemailerError) {
    super(cause.message)
    this.step = step
    this.transferred = transferred
    this.code = cause.code ?? 'ESOCKET'
    this.systemCode = cause.originalCode ?? undefined
    this.command = cause.command
    this.response = cause.response
  }
}

/**
 * The classification of an SMTP reply. `code` is Flowpost's own code for the failure. It is set only if the codes in the
 * reply do not describe the failure well.
 */
interface Classification {
  readonly kind: FailureKind
  readonly retryable: boolean
  readonly code?: string
}

const enhancedStatusCode = /^\d{3}[ -](?<code>[245]\.\d{1,3}\.\d{1,3})(?:\s|$)/

/** Returns the codes in a reply, without its text: the reply code and, if the reply has one, the enhanced status code. */
export function getStatusCode(reply: string): string {
  const enhancedCode = enhancedStatusCode.exec(reply)?.groups?.code
  return [reply.slice(0, 3), ...(enhancedCode === undefined ? [] : [enhancedCode])].join(' ')
}

/**
 * Converts an {@link SmtpConnectionError} to a {@link DeliveryError}. Returns any other error unchanged.
 *
 * A reply is classified by its enhanced status code (RFC 3463, RFC 7372 and the IANA registry "SMTP Enhanced Status
 * Codes"). If this code is missing or not specific enough, the reply is classified by its reply code (RFC 5321 section
 * 4.2.3), its text and the SMTP command that it answers. The error's `detail` does not quote the reply's text.
 */
export function toDeliveryError(error: unknown): unknown {
  if (!(error instanceof SmtpConnectionError)) return error
  const { response, step } = error
  if (response === undefined || !/^[45]\d\d/.test(response)) return classifyWithoutReply(error)
  const enhancedCode = enhancedStatusCode.exec(response)?.groups?.code
  const classification = classifyReply(response, enhancedCode, error)
  const code = classification.code ?? enhancedCode ?? response.slice(0, 3)
  const detail = `${describe(classification, step, response)} The server replied ${getStatusCode(response)}.`
  // A reply during the step `connect` is omitted: it does not concern the message, and the server may not be an SMTP server.
  const providerResponse = step === 'connect' ? {} : { providerResponse: response }
  return new DeliveryError({ ...classification, code, detail, ...providerResponse })
}

function describe({ kind, retryable, code }: Classification, step: SmtpStep, reply: string): string {
  if (code !== undefined && detailByCode[code] !== undefined) return detailByCode[code]
  if (kind === 'target') {
    return retryable ? 'The SMTP server cannot accept mail for the recipient now.' : 'The SMTP server rejected the recipient.'
  }
  if (kind === 'credential') {
    if (step !== 'authenticate') return 'The SMTP server rejected the sender or requires authentication.'
    return reply.startsWith('503') ? 'The SMTP server does not allow logins.' : 'The SMTP server rejected the user and password.'
  }
  if (kind === 'content' && !retryable) return 'The SMTP server rejected the message for its size or content.'
  if (kind === 'rate') return 'The SMTP server is limiting the sending rate.'
  return retryable ? 'The SMTP server cannot accept the message now.' : 'The SMTP server rejected the message.'
}

function classifyReply(reply: string, enhancedCode: string | undefined, error: SmtpConnectionError): Classification {
  const replyCode = reply.slice(0, 3)
  // The server rejected STARTTLS, or closed the connection during the upgrade to TLS. Either the server is misconfigured, or
  // someone is intercepting the connection. The email itself is not the cause.
  if (error.code === 'ETLS') return { kind: 'provider', retryable: true, code: 'tls_failed' }
  if (replyCode.startsWith('4')) return { kind: classifyTransient(reply, enhancedCode, error), retryable: true }
  // Reply 503 means "bad sequence of commands": the session was in the wrong state, and a new session may succeed.
  // nodemailer does not treat 503 as permanent either. In reply to AUTH, it means that the server does not allow logins.
  if (replyCode === '503' && error.step !== 'authenticate') return { kind: 'provider', retryable: true }
  if (enhancedCode === '5.6.7') return { kind: 'target', retryable: false, code: 'smtputf8_unsupported' }
  return { kind: classifyPermanent(reply, enhancedCode, error), retryable: false }
}

/**
 * Removes addresses, host names and URLs from a reply. Otherwise, a word in a name, such as the `relay` in `ada@relay.example`,
 * could be mistaken for the reason for the rejection.
 */
function removeNames(reply: string): string {
  return reply.replace(/\S+/g, (word) => (/[@<>]|\.\w/.test(word) ? '' : word))
}

function classifyTransient(reply: string, enhancedCode: string | undefined, { command, step, code }: SmtpConnectionError): FailureKind {
  // The codes 4.2.x concern the recipient's mailbox. For example, Gmail replies 4.2.1 if a recipient receives too much mail.
  if (command === 'RCPT TO' && enhancedCode?.startsWith('4.2.') && !reply.startsWith('421')) return 'target'
  if (enhancedCode === '4.7.28' || /\b(?:rate|throttl\w*|too (?:many|fast|much))\b/i.test(removeNames(reply))) return 'rate'
  if (step !== 'send' || reply.startsWith('421') || enhancedCode?.startsWith('4.3.')) return 'provider'
  // Greylisting concerns one recipient or message, not the server. If it counted as a `provider` failure, it would open
  // the circuit breaker, and one tenant's recipients would block mail for every tenant that uses this server.
  if (command === 'RCPT TO') return 'target'
  return code === 'EMESSAGE' && enhancedCode !== undefined && /^4\.[67]\./.test(enhancedCode) ? 'content' : 'provider'
}

/**
 * Enhanced status codes of permanent replies whose cause is the sending rate: 5.1.90 (daily limit of Microsoft 365), 5.4.5
 * (congestion, and the daily limit of Gmail) and 5.7.28 (mail flood detected).
 */
const rateCodes: ReadonlySet<string> = new Set(['5.1.90', '5.4.5', '5.7.28'])

function classifyPermanent(reply: string, enhancedCode: string | undefined, { command, step, code }: SmtpConnectionError): FailureKind {
  const replyCode = reply.slice(0, 3)
  if (step === 'authenticate') return 'credential'
  if (enhancedCode !== undefined && rateCodes.has(enhancedCode)) return 'rate'
  const requiresAuthentication = ['530', '534', '535', '538'].includes(replyCode)
  if (step === 'connect') return requiresAuthentication ? 'credential' : 'provider'
  // A rejected sender is a `credential` failure, because the sender's address is set together with the credential.
  if (requiresAuthentication || isSenderRejection(reply, enhancedCode, command)) return 'credential'
  if (enhancedCode !== undefined) {
    if (/^5\.1\.|^5\.2\.[0124]$|^5\.4\./.test(enhancedCode)) return 'target'
    if (enhancedCode === '5.2.3' || enhancedCode === '5.3.4' || enhancedCode.startsWith('5.6.')) return 'content'
    // These codes concern the login, the encryption, or the authentication of the sender's domain (SPF, DKIM, DMARC).
    if (/^5\.7\.(?:[3589]|1[0-4]|2[0-7])$/.test(enhancedCode)) return 'credential'
  }
  // In reply to RCPT, 552 usually means that the recipient's mailbox is full.
  if (replyCode === '552' && command !== 'RCPT TO') return 'content'
  if (command === 'MAIL FROM')
    return ['501', '550', '553'].includes(replyCode) || enhancedCode?.startsWith('5.7.') ? 'credential' : 'provider'
  if (command === 'RCPT TO') {
    if (/\brelay/i.test(removeNames(reply))) return 'credential'
    return replyCode.startsWith('55') || replyCode === '501' || enhancedCode?.startsWith('5.7.') ? 'target' : 'provider'
  }
  // A 55x reply after the message was transferred concerns the content of the message.
  return code === 'EMESSAGE' && replyCode.startsWith('55') ? 'content' : 'provider'
}

const detailByCode: Readonly<Record<string, string>> = {
  tls_failed: 'The connection could not be encrypted.',
  smtputf8_unsupported: 'The SMTP server does not support internationalized addresses (SMTPUTF8).',
}

/** Connection failures, keyed by the error code from the operating system, DNS or nodemailer. */
const connectionFailures: Readonly<Record<string, readonly [code: string, detail: string]>> = {
  ECONNREFUSED: ['connection_refused', 'The SMTP server refused the connection.'],
  EHOSTUNREACH: ['host_unreachable', 'The SMTP server cannot be reached.'],
  ENETUNREACH: ['host_unreachable', 'The SMTP server cannot be reached.'],
  ENOTFOUND: ['host_not_found', 'The SMTP host was not found.'],
  ENODATA: ['host_not_found', 'The SMTP host has no address.'],
  EAI_AGAIN: ['host_not_found', 'The SMTP host could not be resolved.'],
  ESERVFAIL: ['host_not_found', 'The SMTP host could not be resolved.'],
  EREFUSED: ['host_not_found', 'The SMTP host could not be resolved.'],
  ETIMEOUT: ['host_not_found', 'The SMTP host could not be resolved in time.'],
  ETIMEDOUT: ['timed_out', 'The SMTP server did not respond in time.'],
  ETLS: ['tls_failed', 'The connection could not be encrypted.'],
  EPROTOCOL: ['protocol_error', 'The server does not speak SMTP.'],
}

/** Failures that occur without a reply from the server, keyed by the error code from nodemailer or this package. */
const localFailures: Readonly<Record<string, { readonly kind: FailureKind; readonly code: string; readonly detail: string }>> = {
  ESMTPUTF8: {
    kind: 'target',
    code: 'smtputf8_unsupported',
    detail: 'The SMTP server does not support internationalized addresses (SMTPUTF8).',
  },
  EMESSAGE: { kind: 'content', code: 'message_too_large', detail: 'The message exceeds the size limit of the SMTP server.' },
  EENVELOPE: { kind: 'target', code: 'address_refused', detail: 'The sender or recipient address is not valid for SMTP.' },
  EAUTHNOTOFFERED: {
    kind: 'credential',
    code: 'authentication_not_offered',
    detail: 'The SMTP server offers no authentication method that Flowpost supports.',
  },
  EAUTH: { kind: 'credential', code: 'authentication_failed', detail: 'Authentication failed.' },
}

/** Matches error codes from OpenSSL and from Node's certificate verification. */
const tlsErrorCode = /^EPROTO$|CERT|_TLS_|_SSL_|^UNABLE_TO_/

function classifyWithoutReply(error: SmtpConnectionError): DeliveryError {
  const { code, systemCode = '', step, transferred, message: providerResponse } = error
  const localFailure = localFailures[code]
  // These failures have no reply from the server, only a message from nodemailer or this package. If that message became the
  // `providerResponse`, it would count as proof that the server works.
  if (localFailure && !(code === 'EMESSAGE' && transferred)) return new DeliveryError(localFailure)
  const failure = tlsErrorCode.test(systemCode) ? connectionFailures.ETLS : (connectionFailures[systemCode] ?? connectionFailures[code])
  const [failureCode, detail] = failure ?? ['connection_lost', 'The connection to the SMTP server was lost.']
  if (step === 'send' && transferred) {
    return new DeliveryError({
      kind: 'ambiguous',
      code: failureCode,
      detail: `${detail} The message had been transferred, so it may have been accepted.`,
      providerResponse,
    })
  }
  // For EPROTOCOL, `providerResponse` is omitted: nodemailer's message may quote text from a server that does not speak SMTP.
  return new DeliveryError({ kind: 'provider', code: failureCode, detail, ...(code === 'EPROTOCOL' ? {} : { providerResponse }) })
}
