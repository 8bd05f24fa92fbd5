import type { MockProvider } from '../state/providers.ts'
import { discord, slack, teams, webhook } from './chat.ts'
import { mailgun, smtp } from './email.ts'

/** The providers that Flowpost serves, with the fields of their credentials. */
export const builtInProviders: readonly MockProvider[] = [mailgun, smtp, slack, discord, teams, webhook]
