import type { FailureKind } from '@flowpost/domain'
import { DeliveryError } from '../../delivery-error.ts'
import { SmtpConnectionError, type SmtpStep } from './connection-error.ts'

/** A verdict on a reply: where the cause lies, and whether a later attempt may succeed. */
interface Verdict {
  readonly kind: FailureKind
  readonly retryable: boolean
}

const enhancedCode = /^\d{3}[ -](?<status>[245]\.\d{1,3}\.\d{1,3})(?:\s|$)/

/** A reply without its words: the reply code, and the enhanced status code where there is one. */
export function replyCode(response: string): string {
  const status = enhancedCode.exec(response)?.groups?.status
  return [response.slice(0, 3), ...(status === undefined ? [] : [status])].join(' ')
}

/**
 * Explains a failed SMTP exchange. Replies are read by their enhanced status code (RFC 3463, RFC 7372 and
 * the IANA registry "SMTP Enhanced Status Codes"), else by the reply code (RFC 5321 section 4.2.3) and the command.
 * The detail has words of ours and the codes alone; what the server said is the answer beside it.
 */
export function smtpFailure(error: unknown): unknown {
  if (!(error instanceof SmtpConnectionError)) return error
  const { response } = error
  if (response === undefined || !/^[45]\d\d/.test(response)) return withoutReply(error)
  const code = enhancedCode.exec(response)?.groups?.status
  const verdict = judge(response, code, error)
  const detail = `${words(verdict, error.step)} It answered ${replyCode(response)}.`
  const input = { ...verdict, code: verdict.code ?? code ?? response.slice(0, 3), detail }
  // What greets is a banner, not an answer to a message, and may be that of anything that listens there.
  return new DeliveryError(error.step === 'connect' ? input : { ...input, answer: response })
}

function words({ kind, retryable, code }: Verdict & { code?: string }, step: SmtpStep): string {
  if (code !== undefined && wordsOfOwnCodes[code] !== undefined) return wordsOfOwnCodes[code]
  if (kind === 'target')
    return retryable ? 'The SMTP server cannot take mail for the receiver now.' : 'The SMTP server refused the receiver.'
  if (kind === 'credential')
    return step === 'authenticate'
      ? 'The SMTP server did not accept user and password.'
      : 'The SMTP server refused the sender, or asks for a login.'
  if (kind === 'content' && !retryable) return 'The SMTP server refused the message for its size or for what it says.'
  if (kind === 'rate') return 'The SMTP server asks to slow down.'
  return retryable ? 'The SMTP server cannot take the message now.' : 'The SMTP server refused.'
}

function judge(response: string, code: string | undefined, error: SmtpConnectionError): Verdict & { code?: string } {
  const reply = response.slice(0, 3)
  // A server that does not offer TLS today is misconfigured, or someone is in between; neither is the message's fault.
  if (error.code === 'ETLS') return { kind: 'provider', retryable: true, code: 'tls_failed' }
  if (reply.startsWith('4')) return { kind: transientKind(response, code, error), retryable: true }
  // nodemailer's own rule too: the session was in the wrong state, not the message at fault.
  if (reply === '503') return { kind: 'provider', retryable: true }
  if (code === '5.6.7') return { kind: 'target', retryable: false, code: 'smtputf8_unsupported' }
  return { kind: permanentKind(response, code, error), retryable: false }
}

function transientKind(response: string, code: string | undefined, { command, step, code: fault }: SmtpConnectionError): FailureKind {
  if (code === '4.7.28' || /\b(?:rate|throttl\w*|too (?:many|fast|much))\b/i.test(response)) return 'rate'
  if (step !== 'send' || response.startsWith('421') || code?.startsWith('4.3.')) return 'provider'
  // Greylisting and the like: an answer to one receiver, or to one message, tells nothing of the server. Whoever counted
  // it as an outage would let one tenant's receivers stop the mail of all who share the server.
  if (command === 'RCPT TO') return 'target'
  return fault === 'EMESSAGE' && code !== undefined && /^4\.[67]\./.test(code) ? 'content' : 'provider'
}

function permanentKind(response: string, code: string | undefined, { command, step, code: fault }: SmtpConnectionError): FailureKind {
  const reply = response.slice(0, 3)
  if (step === 'authenticate') return 'credential'
  // Mail flood: refused for good, but for its amount.
  if (code === '5.7.28') return 'rate'
  if (step === 'connect') return /^(?:530|534|535|538)/.test(reply) ? 'credential' : 'provider'
  if (['530', '534', '535', '538'].includes(reply)) return 'credential'
  if (code !== undefined) {
    // The sender's address: part of the integration.
    if (code === '5.1.7' || code === '5.1.8') return 'credential'
    if (/^5\.1\.|^5\.2\.[0124]$|^5\.4\./.test(code)) return 'target'
    if (code === '5.2.3' || code === '5.3.4' || code.startsWith('5.6.')) return 'content'
    // Login, encryption, and proof of who the sender is (SPF, DKIM, DMARC).
    if (/^5\.7\.(?:[3589]|1[0-4]|2[0-7])$/.test(code)) return 'credential'
  }
  if (reply === '552') return 'content'
  if (command === 'MAIL FROM')
    return reply === '501' || code?.startsWith('5.7.') || reply === '550' || reply === '553' ? 'credential' : 'provider'
  if (command === 'RCPT TO') {
    if (/\brelay/i.test(response)) return 'credential'
    return reply.startsWith('55') || reply === '501' || code?.startsWith('5.7.') ? 'target' : 'provider'
  }
  // After the message itself was seen, a refusal is about what it says.
  return fault === 'EMESSAGE' && reply.startsWith('55') ? 'content' : 'provider'
}

const wordsOfOwnCodes: Readonly<Record<string, string>> = {
  tls_failed: 'The connection could not be encrypted.',
  smtputf8_unsupported: 'The SMTP server cannot take internationalised addresses (SMTPUTF8).',
}

/** By the codes of the operating system, of DNS and of nodemailer. */
const wordsByCode: Readonly<Record<string, readonly [code: string, detail: string]>> = {
  ECONNREFUSED: ['connection_refused', 'The SMTP server refused the connection.'],
  EHOSTUNREACH: ['host_unreachable', 'The SMTP server cannot be reached.'],
  ENETUNREACH: ['host_unreachable', 'The SMTP server cannot be reached.'],
  ENOTFOUND: ['host_not_found', 'The SMTP host was not found.'],
  ENODATA: ['host_not_found', 'The SMTP host has no address.'],
  EAI_AGAIN: ['host_not_found', 'The SMTP host could not be looked up.'],
  ESERVFAIL: ['host_not_found', 'The SMTP host could not be looked up.'],
  EREFUSED: ['host_not_found', 'The SMTP host could not be looked up.'],
  ETIMEOUT: ['host_not_found', 'The SMTP host could not be looked up in time.'],
  ETIMEDOUT: ['timed_out', 'The SMTP server did not answer in time.'],
  ETLS: ['tls_failed', 'The connection could not be encrypted.'],
  EPROTOCOL: ['protocol_error', 'The server did not speak SMTP.'],
}

/** What is found out without a reply, by nodemailer's codes and ours. */
const ownFaults: Readonly<Record<string, { readonly kind: FailureKind; readonly code: string; readonly detail: string }>> = {
  ESMTPUTF8: {
    kind: 'target',
    code: 'smtputf8_unsupported',
    detail: 'The SMTP server cannot take internationalised addresses (SMTPUTF8).',
  },
  EMESSAGE: { kind: 'content', code: 'message_too_large', detail: 'The message is larger than the SMTP server takes.' },
  EENVELOPE: { kind: 'target', code: 'address_refused', detail: 'The address cannot be sent over SMTP.' },
  EAUTHNOTOFFERED: { kind: 'credential', code: 'authentication_not_offered', detail: 'The SMTP server offers no login that can be used.' },
  EAUTH: { kind: 'credential', code: 'authentication_failed', detail: 'The login did not succeed.' },
}

/** Codes of OpenSSL and of Node's certificate check. */
const certificateFault = /^EPROTO$|CERT|_TLS_|_SSL_|^UNABLE_TO_/

function withoutReply(error: SmtpConnectionError): DeliveryError {
  const { code, systemCode, step, transferred, message: answer } = error
  const own = ownFaults[code]
  if (own && !(code === 'EMESSAGE' && transferred)) return new DeliveryError({ ...own, answer })
  const known = certificateFault.test(systemCode ?? '') ? wordsByCode.ETLS : (wordsByCode[systemCode ?? ''] ?? wordsByCode[code])
  const [ours, words] = known ?? ['connection_lost', 'The connection to the SMTP server was lost.']
  if (step === 'send' && transferred) {
    const detail = `${words} The message had been handed over, so it may have been accepted.`
    return new DeliveryError({ kind: 'ambiguous', code: ours, detail, answer })
  }
  // The banner again, in words of nodemailer.
  return new DeliveryError({ kind: 'provider', code: ours, detail: words, ...(code === 'EPROTOCOL' ? {} : { answer }) })
}
