export { type CaptureDecision, type CaptureMode, decideCapture } from './capture-decision.ts'
export { type Channels, canonicalTarget, channelFaults } from './channel-faults.ts'
export type { Channel, ChannelKind, ContentLimits, TargetResult } from './channels/channel.ts'
export { parseEmailAddress } from './channels/email-address.ts'
export { builtInChannels } from './channels/index.ts'
export { mailgunChannel } from './channels/mailgun.ts'
export { slackChannel } from './channels/slack.ts'
export { smtpChannel } from './channels/smtp.ts'
export type { RenderedContent, TextType } from './content.ts'
export { type ContentFault, contentBytes, contentFaults, maxContentBytes } from './content-limits.ts'
export { canTransition, type DeliveryStatus, deliveryStatuses, isFinal, openStatuses, statusesBefore } from './delivery-status.ts'
export { escapeHtml } from './escape-html.ts'
export { type ExplainedFlow, explainPlan } from './explain-plan.ts'
export type { Failure, FailureKind } from './failure.ts'
export { afterCheck, afterOutcome, type FlowCondition, isSameCondition, type TellingOutcome, unknownCondition } from './flow-condition.ts'
export { htmlToText } from './html-to-text.ts'
export {
  embeddedAttempts,
  embeddedDeliveries,
  listedAttempts,
  mostEmbeddedRows,
  pageLength,
  rowsOfDelivery,
} from './http/embedded-rows.ts'
export { allowsWrite, isNotModified } from './http/entity-tags.ts'
export { idempotencyKeptMs, requestFingerprint } from './http/idempotent-request.ts'
export { emptyBodyLimitBytes, isEmptyBody, isJsonMediaType, type ParsedJson, parseJsonBody } from './http/json-body.ts'
export { type ListFilters, listBinding } from './http/list-binding.ts'
export {
  type AggregateRule,
  aggregateRules,
  aggregateStatus,
  isSettled,
  type NotificationStatus,
  notificationStatuses,
  otherwiseAggregated,
  settledStatuses,
} from './notification-status.ts'
export {
  type DeliveryPlan,
  maxDeliveries,
  type PlanDeps,
  type PlanRequest,
  planDeliveries,
  type RefusedPlan,
  type RoutedFlow,
  type SkippedFlow,
} from './plan-deliveries.ts'
export {
  deliveryCount,
  type MatchedFlow,
  type NotificationPlan,
  type NotificationRequest,
  planNotification,
  refusalOf,
  type TemplatedFlow,
} from './plan-notification.ts'
export type { PlannableFlow } from './plannable-flow.ts'
export { describeDiscord, describeTeams, slackDescription, webhookDescription } from './providers/chat.ts'
export type { ProviderDescription } from './providers/description.ts'
export { isLoopbackHost } from './providers/fields.ts'
export { builtInDescriptions } from './providers/index.ts'
export { type Mailbox, parseMailbox } from './providers/mailbox.ts'
export { mailgunDescription } from './providers/mailgun.ts'
export { signingSecretPrefix } from './providers/signing-secret.ts'
export { smtpDeploymentSettings, smtpDescription } from './providers/smtp.ts'
export type { BodyFault, Refusal } from './refusal.ts'
export {
  type AmbiguousPolicy,
  decideRetry,
  defaultRetryPolicy,
  type FailedAttempt,
  type RetryDecision,
  type RetryPolicy,
} from './retry-policy.ts'
export { readSendAt, type Schedule } from './send-at.ts'
export { maxTargetEntries, parseTargetList, type TargetEntry, type TargetFault, type TargetList } from './target-list.ts'
export { type MessageParts, renderMessage, unmodifiedTemplate } from './template.ts'
export { type TemplateWarning, templateWarnings } from './template-warnings.ts'
export { codePointLength, utf8Length } from './text-length.ts'
