import type { FailureKind } from '@flowpost/domain'

/** Where the cause lies, whether a later attempt may succeed, and what to do about it. */
export interface SlackVerdict {
  readonly kind: FailureKind
  readonly retryable: boolean
  readonly advice: string
}

const target = (advice: string): SlackVerdict => ({ kind: 'target', retryable: false, advice })
const credential = (advice: string): SlackVerdict => ({ kind: 'credential', retryable: false, advice })
const content = (advice: string): SlackVerdict => ({ kind: 'content', retryable: false, advice })
const passing = (kind: 'rate' | 'provider' | 'ambiguous', advice: string): SlackVerdict => ({ kind, retryable: true, advice })

const badToken = credential('The token is not valid any more, or not from this network; install the app again.')
const noAccess = credential('The token does not have the permission.')
const restricted = target('A preference of the workspace or channel keeps the app from posting there.')
const malformed: SlackVerdict = { kind: 'provider', retryable: false, advice: 'Slack refused the form of the request.' }

/** The errors that `chat.postMessage` documents, as of 2026. Source: https://docs.slack.dev/reference/methods/chat.postMessage#errors */
const verdicts: Readonly<Record<string, SlackVerdict>> = {
  channel_not_found: target('There is no such channel, or it is private and the app was not added to it.'),
  not_in_channel: target('The app was not added to the channel.'),
  is_archived: target('The channel is archived.'),
  messages_tab_disabled: target('The messages tab of the app is disabled.'),
  ekm_access_denied: target('Administrators have suspended posting there.'),
  restricted_action: restricted,
  restricted_action_read_only_channel: restricted,
  restricted_action_thread_only_channel: restricted,
  restricted_action_non_threadable_channel: restricted,
  restricted_action_thread_locked: restricted,
  channel_type_not_supported: target('The app cannot post to a conversation of this kind.'),
  method_not_supported_for_channel_type: target('The app cannot post to a conversation of this kind.'),
  team_not_found: target('The workspace of the channel was not found.'),

  not_authed: badToken,
  invalid_auth: badToken,
  account_inactive: badToken,
  token_revoked: badToken,
  token_expired: badToken,
  missing_scope: credential('The token lacks a scope; chat:write is needed to post.'),
  no_permission: noAccess,
  access_denied: noAccess,
  accesslimited: noAccess,
  not_allowed_token_type: credential('This type of token cannot post; use a bot token.'),
  team_access_not_granted: noAccess,
  enterprise_is_restricted: noAccess,
  two_factor_setup_required: noAccess,

  msg_too_long: content('The text is too long.'),
  no_text: content('The text is empty.'),

  rate_limited: passing('rate', 'The app posted too many messages.'),
  ratelimited: passing('rate', 'The app made too many requests.'),
  message_limit_exceeded: passing('rate', 'The members of the workspace sent too many messages.'),
  service_unavailable: passing('provider', 'Slack is unavailable for a while.'),
  request_timeout: passing('provider', 'Slack did not get the whole request.'),
  external_channel_migrating: passing('provider', 'The channel is being shared with another workspace, or no longer.'),
  team_added_to_org: passing('provider', 'The workspace is being moved to an organization.'),
  org_login_required: passing('provider', 'The workspace is being moved to an organization.'),
  // For these two Slack says: "It's possible some aspect of the operation succeeded before the error was raised."
  fatal_error: passing('ambiguous', 'Slack failed on its way; the message may have been posted.'),
  internal_error: passing('ambiguous', 'Slack failed on its way; the message may have been posted.'),

  deprecated_endpoint: malformed,
  method_deprecated: malformed,
  invalid_arguments: malformed,
  invalid_arg_name: malformed,
  invalid_array_arg: malformed,
  invalid_charset: malformed,
  invalid_form_data: malformed,
  invalid_post_type: malformed,
  missing_post_type: malformed,
}

/** What an error code of Slack means for a message. A code that is not in the table is final: it tells of a refusal. */
export function slackVerdict(code: string): SlackVerdict {
  return (Object.hasOwn(verdicts, code) && verdicts[code]) || { kind: 'provider', retryable: false, advice: 'Slack refused the message.' }
}
