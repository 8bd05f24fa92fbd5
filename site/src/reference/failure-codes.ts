import type { FailureKind } from '@flowpost/domain'
import { type FailureCode, type FailureSection, providerFailureCodes } from './provider-failure-codes.ts'

/** The kinds of failures, with their cause and whether Flowpost retries them. */
export const failureKinds: readonly (readonly [kind: FailureKind, cause: string, retried: string])[] = [
  ['target', 'The recipient does not exist, or does not accept messages.', 'no, except if a mailbox is temporarily unavailable'],
  [
    'credential',
    'The credentials are missing or wrong, or lack a permission.',
    'no, except if the deployment lacks the key that decrypts the stored secrets',
  ],
  [
    'content',
    'The provider does not accept the message, for example because of its size.',
    'no, except if a mail server rejects the message temporarily',
  ],
  ['rate', 'The provider limits the rate of messages.', 'yes, except if a mail server rejects the message permanently'],
  ['provider', 'The provider failed or cannot be reached.', 'yes, except if the provider rejected the request'],
  [
    'ambiguous',
    "The provider's response was lost. The message may have been sent.",
    'depends on `FLOWPOST_AMBIGUOUS`, except that Flowpost never retries after a restore or an erasure',
  ],
  ['expired', 'The notification expired before the message was sent.', 'no'],
]

const flowpost: readonly FailureCode[] = [
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
  [
    'secret_unreadable',
    'credential',
    'yes',
    "No key of the deployment can decrypt the integration's secrets. An operator can add the missing key to `FLOWPOST_ENCRYPTION_KEY`. Otherwise, store the secrets again.",
  ],
  ['provider_not_served', 'credential', 'no', 'The provider is no longer registered; see `FLOWPOST_PROVIDERS`.'],
  [
    'name_unknown',
    'target',
    'no',
    "The flow's target names a URL that the integration does not have. Add the URL, or correct the flow's target.",
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
    'The process stopped during the attempt. Exception: for a message that Flowpost captures instead of sending, the kind is `provider`, and Flowpost tries again, because the message cannot have been sent.',
  ],
  [
    'provider_fault',
    'provider',
    'yes',
    "The provider's implementation threw an unexpected error, returned a malformed check result, or created an invalid request, which was not sent. The delivery's log contains the error.",
  ],
  [
    'shutting_down',
    'provider',
    'yes',
    'The process was shutting down. Another process, or this process after its next start, tries again.',
  ],
  ['internal', 'provider', 'yes', 'The message could not be prepared. The server log contains the error.'],
  ['expired', 'expired', 'no', 'The time in `expires_at` passed before the message was sent. The delivery has the status `canceled`.'],
  [
    'suppressed',
    'target',
    'no',
    "The recipient is on the project's suppression list. Remove the recipient from the list if the address works again.",
  ],
  [
    'erased',
    'target',
    'no',
    "The recipient's data was erased before the message was sent. If an attempt was in progress, the kind is `ambiguous`.",
  ],
  [
    'restored',
    'ambiguous',
    'no',
    'The database was restored, the delivery was unfinished at backup time, and the operator chose to cancel such deliveries.',
  ],
  [
    'unrecognized',
    'any',
    'depends',
    "The provider's error code cannot be shown, because it is not a string, is too long, has special characters or contains a secret. `detail` explains the failure.",
  ],
  [
    'recipient_rejected',
    'target',
    'no',
    'Only for providers that are not built in: a test key was used to send a message to the simulated recipient `bounce`.',
  ],
  [
    'provider_unavailable',
    'provider',
    'yes',
    'Only for providers that are not built in: a test key was used to send a message to the simulated recipient `outage`.',
  ],
]

/** All failure codes, except for Slack's, which come from the source code of the Slack provider. */
export const failureCodes: readonly FailureSection[] = [
  { heading: 'Flowpost', introduction: 'Codes that Flowpost defines for all providers.', codes: flowpost },
  ...providerFailureCodes,
]
