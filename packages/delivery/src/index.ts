/** What a provider's channel and its failures are made of. */
export type {
  Channel,
  ChannelKind,
  ContentLimits,
  Failure,
  FailureKind,
  RenderedContent,
  SecretDestination,
  TargetResult,
} from '@flowpost/domain'
/** The zod that schemas of settings and secrets are made with, so that a provider needs no other dependency. */
export { z } from 'zod'
export type { Clock } from './clock.ts'
export { systemClock } from './clock.ts'
export type { Courier, CourierOptions, Delivery, Inspection } from './courier.ts'
export { createCourier } from './courier.ts'
export type { Credential } from './credential.ts'
export type { DeliveryErrorInput } from './delivery-error.ts'
export { DeliveryError } from './delivery-error.ts'
export type { Egress, EgressPolicy } from './egress.ts'
export type { HttpAnswer, HttpCall, HttpRequest } from './http.ts'
export { exchange, statusFailure } from './http.ts'
export type {
  CheckCall,
  CheckResult,
  ComposedMessage,
  OpenCall,
  OutgoingMessage,
  Provider,
  ProviderCall,
  ProviderDefinition,
  SendCall,
  SendResult,
  StrictObject,
} from './provider.ts'
export { defineProvider, providerIdPattern } from './provider.ts'
export type { BuiltInOptions } from './providers/built-in.ts'
export { builtInProviders, createBuiltInProviders } from './providers/built-in.ts'
export { captureMessage } from './providers/capture.ts'
export type { DiscordOptions } from './providers/discord.ts'
export { createDiscord, discord } from './providers/discord.ts'
export type { MailgunOptions } from './providers/mailgun.ts'
export { createMailgun, mailgun } from './providers/mailgun.ts'
export type { SlackOptions } from './providers/slack.ts'
export { createSlack, slack } from './providers/slack.ts'
export type { SmtpOptions } from './providers/smtp.ts'
export { createSmtp, fromSmtpUrl, smtp } from './providers/smtp.ts'
export type { TeamsOptions } from './providers/teams.ts'
export { createTeams, teams } from './providers/teams.ts'
export { webhook } from './providers/webhook.ts'
export type { Registry } from './registry.ts'
export { createRegistry } from './registry.ts'
