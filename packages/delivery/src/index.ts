/** The types that describe channels, messages, failures and receipts. */
export type {
  Channel,
  ChannelKind,
  ContentLimits,
  Failure,
  FailureKind,
  ReceiptStatus,
  RenderedContent,
  ReportedReceipt,
  SecretDestination,
  TargetResult,
} from '@flowpost/domain'
/**
 * The zod instance for defining the schemas of settings and secrets. It is exported so that a provider needs no other
 * dependency.
 */
export { z } from 'zod'
export { captureMessage } from './capture.ts'
export type { Credential } from './client/credential.ts'
export type { CheckRequest, DeliveryRequest, ProviderClient, ProviderClientOptions } from './client/provider-client.ts'
export { createProviderClient } from './client/provider-client.ts'
export type { Clock } from './clock.ts'
export { systemClock } from './clock.ts'
export type { DeliveryErrorInput } from './delivery-error.ts'
export { DeliveryError } from './delivery-error.ts'
export type { Egress, EgressPolicy } from './network/egress.ts'
export type { HttpContext, HttpRequest, HttpResponse, SendRequestOptions } from './network/http.ts'
export { createStatusError, sendRequest } from './network/http.ts'
export type { EgressContext } from './network/send-through-egress.ts'
export { sendThroughEgress } from './network/send-through-egress.ts'
export type {
  CheckContext,
  CheckResult,
  ComposedMessage,
  OpenContext,
  OutgoingMessage,
  Provider,
  ProviderContext,
  ProviderDefinition,
  SendContext,
  SendResult,
  StrictObject,
} from './provider.ts'
export { defineProvider, providerIdPattern } from './provider.ts'
export type { BuiltInProviderOptions } from './providers/built-in.ts'
export { builtInProviders, createBuiltInProviders } from './providers/built-in.ts'
export type { DiscordOptions } from './providers/discord.ts'
export { createDiscord, discord } from './providers/discord.ts'
export type { MailgunOptions } from './providers/mailgun.ts'
export { createMailgun, mailgun } from './providers/mailgun.ts'
export type { SlackOptions } from './providers/slack.ts'
export { createSlack, slack } from './providers/slack.ts'
export { parseSmtpUrl } from './providers/smtp/connection-url.ts'
export type { SmtpOptions } from './providers/smtp/smtp.ts'
export { createSmtp, smtp } from './providers/smtp/smtp.ts'
export type { TeamsOptions } from './providers/teams.ts'
export { createTeams, teams } from './providers/teams.ts'
export { signWebhook, webhook } from './providers/webhook.ts'
export type { Registry } from './registry.ts'
export { createRegistry } from './registry.ts'
export type { ReceiptReport, Report, ReportContext } from './reports/report.ts'
