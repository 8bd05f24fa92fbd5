import type { FailureKind } from '@flowpost/domain'

/** The kinds of failures, with their cause and whether Flowpost retries them. */
export const failureKinds: readonly (readonly [kind: FailureKind, cause: string, retried: string])[] = [
  ['target', 'The recipient does not exist, or does not accept messages.', 'no, except if a mailbox is temporarily unavailable'],
  ['credential', 'The credentials are missing or wrong, or lack a permission.', 'no'],
  ['content', 'The provider does not accept the message, for example because of its size.', 'no'],
  ['rate', 'The provider limits the rate of messages.', 'yes'],
  ['provider', 'The provider failed or cannot be reached.', 'yes, except if the provider rejected the request'],
  ['ambiguous', "The provider's response was lost. The message may have been sent.", 'depends on `FLOWPOST_AMBIGUOUS`'],
  ['expired', 'The notification expired before the message was sent.', 'no'],
]

type Code = readonly [code: string, kind: FailureKind, retried: string, text: string]

/** A section in the reference for failure codes. */
export interface FailureSection {
  readonly heading: string
  readonly introduction: string
  readonly codes: readonly Code[]
}

const flowpost: readonly Code[] = [
  ['target_invalid', 'target', 'no', "The target does not have the format that the provider requires. Correct the flow's target."],
  ['content_too_long', 'content', 'no', "The message exceeds the provider's limit. Shorten it."],
  [
    'content_expired',
    'content',
    'no',
    'The message is no longer stored; see `FLOWPOST_RETENTION_CONTENT_DAYS`. Send it as a new notification.',
  ],
  [
    'integration_missing',
    'credential',
    'no',
    'The credentials were removed after the message was accepted. Store credentials and retry the notification.',
  ],
  ['provider_not_served', 'credential', 'no', 'The deployment no longer serves this provider; see `FLOWPOST_PROVIDERS`.'],
  [
    'name_unknown',
    'target',
    'no',
    "The integration has no URL with the name that the flow's target contains. Add the URL, or correct the target.",
  ],
  [
    'settings_invalid',
    'credential',
    'no',
    "The integration's stored settings are invalid; `detail` names the invalid ones. Store the settings again.",
  ],
  [
    'secrets_invalid',
    'credential',
    'no',
    "The integration's stored secrets are invalid; `detail` names the invalid ones. Store the secrets again.",
  ],
  ['https_required', 'credential', 'no', 'A URL of the project does not use HTTPS.'],
  [
    'port_not_allowed',
    'credential',
    'no',
    "A URL or host of the project uses a port that projects may not use. An operator can allow all ports of the host's network with `FLOWPOST_EGRESS_ALLOW`.",
  ],
  [
    'address_not_allowed',
    'credential',
    'no',
    "A host of the project is not on the public internet. An operator can allow the host's network with `FLOWPOST_EGRESS_ALLOW`.",
  ],
  [
    'timed_out',
    'provider',
    'yes',
    'The provider did not respond in time. If the message may have been transferred, the kind is `ambiguous`.',
  ],
  [
    'aborted',
    'provider',
    'yes',
    'The attempt was aborted, for example at shutdown. If the message may have been transferred, the kind is `ambiguous`.',
  ],
  ['connection_lost', 'provider', 'yes', 'The connection was closed. If the message may have been transferred, the kind is `ambiguous`.'],
  [
    'interrupted',
    'ambiguous',
    'depends',
    'The process stopped during the attempt. A message to capture is attempted again, whatever `FLOWPOST_AMBIGUOUS` says.',
  ],
  ['provider_fault', 'provider', 'yes', "The provider's implementation threw an unexpected error. The delivery's log contains the error."],
  [
    'shutting_down',
    'provider',
    'yes',
    'The process was shutting down. Another process tries again, or this one does after its next start.',
  ],
  ['internal', 'provider', 'yes', 'The message could not be prepared. The server log contains the error.'],
  ['expired', 'expired', 'no', 'The time in `expires_at` passed before the message was sent. The delivery has the status `canceled`.'],
  [
    'suppressed',
    'target',
    'no',
    "The recipient is on the project's suppression list. Remove the recipient from the list if the address works again.",
  ],
  ['erased', 'target', 'no', "The recipient's data was erased before the message was sent."],
  [
    'restored',
    'ambiguous',
    'no',
    'The database was restored, the delivery was unfinished at backup time, and the operator chose to cancel such deliveries.',
  ],
]

const smtp: readonly Code[] = [
  ['password_missing', 'credential', 'no', 'The settings have a user but no password.'],
  ['authentication_failed', 'credential', 'no', 'The server rejected the user and password.'],
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
  ['address_refused', 'target', 'no', 'The address cannot be used with SMTP.'],
  ['smtputf8_unsupported', 'target', 'no', 'The address has characters outside ASCII, which the server does not support.'],
  [
    '`5.1.1`, `550`, …',
    'target',
    'no',
    "The code of any other reply is its enhanced status code, or its reply code if it has none. The stored response contains the server's text.",
  ],
]

const http: readonly Code[] = [
  ['http_401', 'credential', 'no', 'The key is wrong. The same applies to 402 and 403.'],
  [
    'http_404',
    'target',
    'no',
    'The address does not exist. The same applies to 410. With Discord and Mailgun, the webhook or domain does not exist, and the kind is `credential`.',
  ],
  ['http_429', 'rate', 'yes', 'Too many requests. Flowpost waits for the time that the provider requests.'],
  ['http_500', 'provider', 'yes', 'The provider failed. The same applies to 408, 425 and other statuses from 500.'],
  ['http_502', 'ambiguous', 'depends', 'A gateway received no valid response from the server behind it. The same applies to 504.'],
  ['`http_400`, …', 'content', 'no', 'The provider rejected the request. The stored response contains its reason.'],
  ['unreadable_answer', 'ambiguous', 'depends', 'Slack returned something that is not JSON.'],
]

const discord: readonly Code[] = [
  ['10003', 'target', 'no', 'The channel does not exist.'],
  ['220001', 'target', 'no', 'The channel is a forum. Use the webhook of a text channel; the same applies to the next three codes.'],
  ['220002', 'target', 'no', 'The channel is a forum.'],
  ['220003', 'target', 'no', 'The channel is a forum.'],
  ['220004', 'target', 'no', 'The channel is a forum.'],
  ['20009', 'content', 'no', 'Discord considers the content explicit. Change the message.'],
  ['200000', 'content', 'no', "The server's automatic moderation blocked the message. Change the message or the rule."],
  ['200001', 'content', 'no', "The server's automatic moderation blocked the title. Change the message or the rule."],
  ['240000', 'content', 'no', 'The message contains a link that Discord blocks.'],
  ['40333', 'provider', 'yes', 'The network in front of Discord rejected the request.'],
  ['130000', 'provider', 'yes', 'Discord is overloaded.'],
]

const teams: readonly Code[] = [
  ['WorkflowNotFound', 'credential', 'no', 'The workflow was deleted. Create another one, and store its URL.'],
  ['WorkflowDisabled', 'credential', 'no', 'The workflow is turned off. Turn it on.'],
  ['WorkflowTriggerNotFound', 'credential', 'no', 'The workflow has no trigger for requests. Add one, and store its URL.'],
  ['WorkflowTriggerIsNotEnabled', 'credential', 'no', "The workflow's trigger is turned off. Turn it on."],
  ['`DirectApi…`', 'credential', 'no', "The signature in the URL is wrong. Store the workflow's URL again."],
]

/** The failure codes, except for Slack's, which come from the source code of the Slack provider. */
export const failureCodes: readonly FailureSection[] = [
  { heading: 'Flowpost', introduction: 'Codes that Flowpost defines for all providers.', codes: flowpost },
  { heading: 'SMTP', introduction: 'Codes of the provider `smtp`, in addition to the codes that Flowpost defines.', codes: smtp },
  {
    heading: 'Mailgun, Discord, Microsoft Teams and webhooks',
    introduction:
      'Providers with an HTTP API use the status as the code, unless the provider has its own. Network errors have the code of the operating system in lower case, such as `econnrefused`.',
    codes: http,
  },
  {
    heading: 'Discord',
    introduction: 'Codes that Discord returns. The kind of any other Discord code depends on the HTTP status.',
    codes: discord,
  },
  { heading: 'Microsoft Teams', introduction: 'Codes that the workflow behind the URL returns.', codes: teams },
]
