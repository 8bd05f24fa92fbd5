export type { Channel, ChannelKind, ContentLimits, ProviderDescription, SecretDestination, TargetResult } from './channels/channel.ts'
export { type Channels, canonicalizeTarget, findChannelIssues } from './channels/channel-issues.ts'
export { toAsciiDomain } from './channels/domain-name.ts'
export { parseEmailAddress } from './channels/email-address.ts'
export { isLoopbackHost, signingSecretField, signingSecretPrefix } from './channels/fields.ts'
export { builtInDescriptions } from './channels/index.ts'
export { type Mailbox, parseMailbox } from './channels/mailbox.ts'
export { mailgunDescription } from './channels/mailgun.ts'
export { describeDiscord, describeTeams, webhookDescription } from './channels/named-urls.ts'
export { keySpellings, parseRecipient, type RecipientResult, recipientKey } from './channels/recipient.ts'
export { slackDescription } from './channels/slack.ts'
export { bounceAddress, smtpDeploymentSettings, smtpDescription } from './channels/smtp.ts'
export { serializeTeamsCard } from './channels/teams-card.ts'
export type { ComparedFlow } from './consequences/compare-plans.ts'
export { type Affected, type Consequences, type Examination, examineNotifications } from './consequences/examine-notifications.ts'
export type { DatedFlow, StoredNotification } from './consequences/recover-request.ts'
export { canTransition, type DeliveryStatus, deliveryStatuses, isFinal, openStatuses, statusesBefore } from './delivery/delivery-status.ts'
export { erasedFailure, eraseFailureText, expiredFailure, type Failure, type FailureKind, suppressedFailure } from './delivery/failure.ts'
export {
  type DeliveryOutcome,
  type FlowHealth,
  isSameHealth,
  unknownHealth,
  updateHealthAfterCheck,
  updateHealthAfterDelivery,
} from './delivery/flow-health.ts'
export {
  type AggregateRule,
  aggregateRules,
  aggregateStatus,
  completedStatuses,
  defaultAggregateStatus,
  isCompleted,
  type NotificationStatus,
  notificationStatuses,
  notificationStatusesWith,
} from './delivery/notification-status.ts'
export {
  type AmbiguousPolicy,
  decideRetry,
  defaultRetryPolicy,
  type FailedAttempt,
  type RetryDecision,
  type RetryPolicy,
} from './delivery/retry-policy.ts'
export { type SimulatedFailures, simulatedFailuresOf } from './delivery/simulated-failures.ts'
export {
  rejectUnknownSimulations,
  type SimulatedAttempt,
  simulateAttempt,
  simulatedChannelPrefix,
  simulatedDomain,
  simulatedRecipients,
} from './delivery/simulated-recipients.ts'
export { type ErasedRecipient, eraseFromResponse } from './erasure/erase-response.ts'
export { type AddressRedactor, createAddressRedactor, escapeRegExp } from './erasure/redact-address.ts'
export { escapeHtml } from './html/escape-html.ts'
export { htmlToText } from './html/html-to-text.ts'
export { type CaptureDecision, type CaptureMode, decideCapture } from './planning/capture-decision.ts'
export {
  type ExplainRequest,
  explainDeliveries,
  type FlowEffect,
  type FlowStates,
  type RequestAddress,
  type StoredTarget,
} from './planning/explain-deliveries.ts'
export { type ExplainedFlow, explainPlan } from './planning/explain-plan.ts'
export {
  type DeliveryPlan,
  maxDeliveries,
  type PlanDeps,
  type PlanRequest,
  planDeliveries,
  type RejectedPlan,
  type RoutedFlow,
  type SkippedFlow,
} from './planning/plan-deliveries.ts'
export {
  countDeliveries,
  type MatchedFlow,
  type NotificationPlan,
  type NotificationRequest,
  planNotification,
  rejectionOf,
  rejectRenderingCost,
  type TemplatedFlow,
} from './planning/plan-notification.ts'
export type { PlannableFlow } from './planning/plannable-flow.ts'
export type { BodyIssue, Rejection } from './planning/rejection.ts'
export { findSendIssues, parseSchedule, type Schedule, type ScheduleFields } from './planning/schedule.ts'
export { maxTargetEntries, parseTargetList, type TargetEntry, type TargetIssue, type TargetList } from './planning/target-list.ts'
export {
  canHaveReceipt,
  isSuppressing,
  mailStatusCodePattern,
  maxReceiptCodeLength,
  maxReceiptDetailLength,
  mergeReceipts,
  type Receipt,
  type ReceiptStatus,
  type ReportedReceipt,
  receiptStatuses,
  toReceipt,
  withoutTexts,
} from './receipts/receipt.ts'
export {
  type ContentIssue,
  countContentBytes,
  findContentIssues,
  maxContentBytes,
  maxRenderedBytes,
  type RenderedContent,
  type TextType,
} from './rendering/content.ts'
export { maxTemplateBytes } from './rendering/rendering.ts'
export { findTemplateIssues, maxPlaceholders } from './rendering/split-template.ts'
export { type MessageParts, renderMessage, unmodifiedTemplate } from './rendering/template.ts'
export { findTemplateWarnings, type TemplateWarning } from './rendering/template-warnings.ts'
export { codePointLength, utf8Length } from './rendering/text-length.ts'
