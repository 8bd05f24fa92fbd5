import type { FailureKind } from '@flowpost/domain'

/** The classification of a Slack error, with advice for the user. */
export interface SlackErrorClass {
  readonly kind: FailureKind
  readonly retryable: boolean
  readonly advice: string
}

const target = (advice: string): SlackErrorClass => ({ kind: 'target', retryable: false, advice })
const credential = (advice: string): SlackErrorClass => ({ kind: 'credential', retryable: false, advice })
const content = (advice: string): SlackErrorClass => ({ kind: 'content', retryable: false, advice })
const transient = (kind: 'rate' | 'provider' | 'ambiguous', advice: string): SlackErrorClass => ({ kind, retryable: true, advice })

const invalidToken = credential('The token is invalid, or not allowed from this network. Reinstall the app.')
const missingPermission = credential('The token lacks a required permission.')
const restricted = target('A setting of the workspace or channel prevents the app from posting.')
const unsharedLink = content('The text links to something that may not be shared in this channel.')
const unsupportedChannel = target('The app cannot post to this type of conversation.')
const invalidRequest: SlackErrorClass = { kind: 'provider', retryable: false, advice: 'Slack rejected the format of the request.' }

/**
 * Slack's error codes and their classification. Contains the codes that Slack documents for `chat.postMessage` as of
 * 2026, and a few others. Codes about parameters that Flowpost does not use are omitted (`blocks`, `attachments`,
 * `metadata`, `client_msg_id` and others).
 * Source: https://docs.slack.dev/reference/methods/chat.postMessage#errors
 */
export const slackErrorClasses: Readonly<Record<string, SlackErrorClass>> = {
  channel_not_found: target('The channel does not exist, or it is private and the app is not a member.'),
  not_in_channel: target('The app is not a member of the channel.'),
  is_archived: target('The channel is archived.'),
  messages_tab_disabled: target("The app's messages tab is disabled."),
  ekm_access_denied: target('Administrators have suspended posting to the channel.'),
  restricted_action: restricted,
  restricted_action_read_only_channel: restricted,
  restricted_action_thread_only_channel: restricted,
  restricted_action_non_threadable_channel: restricted,
  restricted_action_thread_locked: restricted,
  channel_type_not_supported: unsupportedChannel,
  method_not_supported_for_channel_type: unsupportedChannel,
  team_not_found: target("The channel's workspace was not found."),

  not_authed: invalidToken,
  invalid_auth: invalidToken,
  account_inactive: invalidToken,
  token_revoked: invalidToken,
  token_expired: invalidToken,
  missing_scope: credential('The token lacks a required scope. Posting requires chat:write.'),
  no_permission: missingPermission,
  access_denied: missingPermission,
  accesslimited: missingPermission,
  not_allowed_token_type: credential('This type of token cannot post. Use a bot token.'),
  team_access_not_granted: missingPermission,
  enterprise_is_restricted: missingPermission,
  two_factor_setup_required: missingPermission,

  msg_too_long: content('The text is too long.'),
  no_text: content('The text is empty.'),
  // Errors for channels that are shared with another workspace through Slack Connect.
  slack_connect_canvas_sharing_blocked: unsharedLink,
  slack_connect_file_link_sharing_blocked: unsharedLink,
  slack_connect_lists_sharing_blocked: unsharedLink,

  rate_limited: transient('rate', 'The app posted too many messages.'),
  ratelimited: transient('rate', 'The app made too many requests.'),
  message_limit_exceeded: transient('rate', 'The members of the workspace sent too many messages.'),
  service_unavailable: transient('provider', 'Slack is temporarily unavailable.'),
  request_timeout: transient('provider', 'Slack did not receive the whole request.'),
  external_channel_migrating: transient('provider', 'Slack is changing how the channel is shared with another workspace.'),
  team_added_to_org: transient('provider', 'The workspace is being moved to an organization.'),
  org_login_required: transient('provider', 'The workspace is being moved to an organization.'),
  // Slack's documentation of these two errors says: "It's possible some aspect of the operation succeeded before the
  // error was raised."
  fatal_error: transient('ambiguous', 'Slack failed while processing the message, which may have been posted.'),
  internal_error: transient('ambiguous', 'Slack failed while processing the message, which may have been posted.'),

  deprecated_endpoint: invalidRequest,
  method_deprecated: invalidRequest,
  invalid_arguments: invalidRequest,
  invalid_arg_name: invalidRequest,
  invalid_array_arg: invalidRequest,
  invalid_charset: invalidRequest,
  invalid_form_data: invalidRequest,
  invalid_post_type: invalidRequest,
  missing_post_type: invalidRequest,
}

/** Classifies an error code from Slack. An unknown code counts as a rejection of the message, which is not retryable. */
export function classifySlackError(code: string): SlackErrorClass {
  const errorClass = Object.hasOwn(slackErrorClasses, code) ? slackErrorClasses[code] : undefined
  return errorClass ?? { kind: 'provider', retryable: false, advice: 'Slack rejected the message.' }
}
