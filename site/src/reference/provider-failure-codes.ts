import type { FailureKind } from '@flowpost/domain'

/**
 * A row of the reference:
 * - `code`: one code, or several codes as Markdown.
 * - `kind`: the kind of the failure. If other kinds are also possible, `text` must contain a phrase for each of them, such as
 *   "the kind is `rate`", because a test searches for these phrases.
 * - `retried`: `depends` if the failure's kind or the setting `FLOWPOST_AMBIGUOUS` decides whether the message is retried.
 */
export type FailureCode = readonly [code: string, kind: FailureKind | 'any', retried: 'yes' | 'no' | 'depends', text: string]

/** A section in the reference for failure codes. */
export interface FailureSection {
  readonly heading: string
  readonly introduction: string
  readonly codes: readonly FailureCode[]
}

const smtp: readonly FailureCode[] = [
  ['password_missing', 'credential', 'no', 'The settings have a user but no password.'],
  [
    'authentication_failed',
    'credential',
    'no',
    'Authentication failed without a reply. If the server replied, the code is that of the reply, such as `5.7.8`.',
  ],
  [
    'authentication_not_offered',
    'credential',
    'no',
    'The server offers no supported authentication on this connection. Check the port and TLS.',
  ],
  ['tls_failed', 'provider', 'yes', 'The connection could not be encrypted: no STARTTLS, or an invalid certificate.'],
  ['connection_refused', 'provider', 'yes', 'Nothing listens on the port. Check host and port.'],
  ['host_unreachable', 'provider', 'yes', 'No route to the server. Check firewalls; many cloud providers block port 25.'],
  ['host_not_found', 'provider', 'yes', 'The host name could not be resolved.'],
  ['protocol_error', 'provider', 'yes', 'The server does not speak SMTP. Port 465 needs `smtps://`, port 587 `smtp://`.'],
  ['message_too_large', 'content', 'no', 'The message exceeds the maximum size that the server announces.'],
  ['address_refused', 'target', 'no', 'The sender or recipient address is not valid for SMTP.'],
  ['smtputf8_unsupported', 'target', 'no', 'The address has characters outside ASCII, which the server does not support.'],
  [
    '`5.1.1`, `550`, …',
    'target',
    'no',
    'The server rejected the recipient permanently. If the reply concerns the login or the sender, the kind is `credential`; if it concerns the message, the kind is `content`; if it concerns the server, the kind is `provider`. The codes `5.1.90`, `5.4.5` and `5.7.28` concern the sending rate, so the kind is `rate`. Permanent replies are not retried, except for reply 503 to a command other than `AUTH`.',
  ],
  [
    '`4.3.2`, `451`, …',
    'provider',
    'yes',
    'The server cannot accept the message now. If the reply concerns only the recipient or the message, the kind is `target` or `content`. If the server limits the rate of messages, the kind is `rate`.',
  ],
]

const http: readonly FailureCode[] = [
  ['http_401', 'credential', 'no', 'The provider rejected the credentials. `http_402` and `http_403` are treated the same.'],
  [
    'http_404',
    'target',
    'no',
    'The URL does not exist. `http_410` is treated the same. If a Discord webhook, a Mailgun domain or a Microsoft Teams workflow does not exist, the kind is `credential`.',
  ],
  [
    'http_429',
    'rate',
    'yes',
    'Too many requests. Flowpost waits for the time that the provider requests. `http_420` from Mailgun is treated the same.',
  ],
  [
    '`http_500`, `http_503`, …',
    'provider',
    'yes',
    'The provider failed. This row is for `http_408`, `http_425`, and `http_500` or higher, except `http_502` and `http_504`.',
  ],
  ['http_502', 'ambiguous', 'depends', 'A gateway received no valid response from the server behind it. `http_504` is treated the same.'],
  [
    '`http_400`, …',
    'content',
    'no',
    'The provider rejected the request. The stored response contains its reason. If Mailgun rejects the recipient, the kind is `target`; if it rejects the sender, the kind is `credential`. If a limit of Mailgun is exceeded, the kind is `rate`, and the message is retried.',
  ],
  [
    '`http_301`, …',
    'provider',
    'no',
    'The provider redirected the request, or returned an unexpected status below 400. Flowpost does not follow redirects. Correct the URL.',
  ],
  [
    '`econnrefused`, `econnreset`, …',
    'provider',
    'yes',
    'The provider could not be reached. If the request may have been transferred, the kind is `ambiguous`.',
  ],
  ['unreadable_answer', 'ambiguous', 'depends', 'Slack returned something that is not JSON.'],
]

const discord: readonly FailureCode[] = [
  ['10003', 'target', 'no', 'The channel does not exist.'],
  ['220001', 'target', 'no', 'The channel is a forum. Use the webhook of a text channel.'],
  ['220002', 'target', 'no', 'The channel is a forum. Use the webhook of a text channel.'],
  ['220003', 'target', 'no', 'The channel is a forum. Use the webhook of a text channel.'],
  ['220004', 'target', 'no', 'The channel is a forum. Use the webhook of a text channel.'],
  ['20009', 'content', 'no', 'Discord considers the content explicit. Change the message.'],
  ['200000', 'content', 'no', "The server's automatic moderation blocked the message. Change the message or the rule."],
  ['200001', 'content', 'no', "The server's automatic moderation blocked the title. Change the message or the rule."],
  ['240000', 'content', 'no', 'The message contains a link that Discord blocks.'],
  ['40333', 'provider', 'yes', 'The network in front of Discord rejected the request.'],
  ['130000', 'provider', 'yes', 'Discord is overloaded.'],
]

const teams: readonly FailureCode[] = [
  ['WorkflowNotFound', 'credential', 'no', 'The workflow was deleted. Create another one, and store its URL.'],
  ['WorkflowDisabled', 'credential', 'no', 'The workflow is turned off. Turn it on.'],
  ['WorkflowTriggerNotFound', 'credential', 'no', 'The workflow has no trigger for requests. Add one, and store its URL.'],
  ['WorkflowTriggerIsNotEnabled', 'credential', 'no', "The workflow's trigger is turned off. Turn it on."],
  ['`DirectApi…`', 'credential', 'no', "The signature in the URL is wrong. Store the workflow's URL again."],
]

/** The failure codes of the providers, except for Slack's, which come from the source code of the Slack provider. */
export const providerFailureCodes: readonly FailureSection[] = [
  {
    heading: 'SMTP',
    introduction:
      "Codes of the provider `smtp`, in addition to the codes that Flowpost defines. If none of these codes fits the server's reply, the code is the enhanced status code of the reply or, if it has none, the reply code. The stored response contains the server's text.",
    codes: smtp,
  },
  {
    heading: 'Mailgun, Discord, Microsoft Teams and webhooks',
    introduction:
      'The code is `http_` followed by the HTTP status, unless the provider has its own codes. For a network error, the code is the lower-case error code of the operating system.',
    codes: http,
  },
  {
    heading: 'Discord',
    introduction: 'Codes that Discord returns. The kind of any other Discord code depends on the HTTP status.',
    codes: discord,
  },
  { heading: 'Microsoft Teams', introduction: 'Codes that the workflow behind the URL returns.', codes: teams },
]
