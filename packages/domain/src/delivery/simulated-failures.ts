import type { Failure } from './failure.ts'

/** The failures that simulated recipients cause, as a provider would report them. */
export interface SimulatedFailures {
  /** A permanent failure: the provider rejects the recipient. */
  readonly bounce: Failure
  /** A failure that is retried: the provider is unavailable. */
  readonly outage: Failure
  /** A lost response from the provider: the message may have been sent. */
  readonly ambiguous: Failure
}

const bounce = (code: string, detail: string, kind: 'target' | 'credential' = 'target'): Failure => ({
  kind,
  code,
  detail,
  retryable: false,
})
const outage = (code: string, detail: string): Failure => ({ kind: 'provider', code, detail, retryable: true })
const ambiguous = (code: string, detail: string): Failure => ({ kind: 'ambiguous', code, detail, retryable: true })

const lostResponse = ambiguous('econnreset', 'The response was lost, so the message may have been accepted.')

/** The simulated failures for providers that are not built in. */
const defaultFailures: SimulatedFailures = {
  bounce: bounce('recipient_rejected', 'The provider rejected the recipient.'),
  outage: outage('provider_unavailable', 'The provider is unavailable.'),
  ambiguous: ambiguous('connection_lost', 'The response was lost, so the message may have been accepted.'),
}

/** The simulated failures for each built-in provider. A test in the delivery package compares them with the real failures. */
const failuresOf: Readonly<Record<string, SimulatedFailures>> = {
  smtp: {
    bounce: bounce('5.1.1', 'The SMTP server rejected the recipient. The server replied 550 5.1.1.'),
    outage: outage('connection_refused', 'The SMTP server refused the connection.'),
    ambiguous: ambiguous(
      'connection_lost',
      'The connection to the SMTP server was lost. The message had been transferred, so it may have been accepted.',
    ),
  },
  mailgun: {
    bounce: bounce('http_400', 'Mailgun returned 400. It rejected the recipient.'),
    outage: outage('http_503', 'Mailgun returned 503.'),
    ambiguous: lostResponse,
  },
  slack: {
    bounce: bounce(
      'channel_not_found',
      'Slack returned channel_not_found. The channel does not exist, or it is private and the app is not a member.',
    ),
    outage: outage('service_unavailable', 'Slack returned service_unavailable. Slack is temporarily unavailable.'),
    ambiguous: lostResponse,
  },
  discord: {
    bounce: bounce('10003', 'Discord returned 404.'),
    outage: outage('http_503', 'Discord returned 503.'),
    ambiguous: lostResponse,
  },
  teams: {
    // Messages are sent to the URL of a workflow. The URL is part of the credential, so the kind is `credential`, not `target`.
    bounce: bounce('http_404', 'Teams returned 404. The workflow was deleted or disabled, or its URL changed.', 'credential'),
    outage: outage('http_503', 'Teams returned 503.'),
    ambiguous: lostResponse,
  },
  webhook: {
    bounce: bounce('http_404', 'The webhook receiver returned 404.'),
    outage: outage('http_503', 'The webhook receiver returned 503.'),
    ambiguous: lostResponse,
  },
}

/** Returns the failures that a provider's simulated recipients cause. */
export const simulatedFailuresOf = (sourceType: string): SimulatedFailures =>
  Object.hasOwn(failuresOf, sourceType) ? (failuresOf[sourceType] ?? defaultFailures) : defaultFailures
