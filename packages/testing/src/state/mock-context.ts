import type { AmbiguousPolicy, CaptureMode, Channel, Channels, RetryPolicy } from '@flowpost/domain'
import type { createTokens, GenerateId, Random } from '../deterministic.ts'
import type { Schema } from '../http/operations.ts'
import type { InternalClock } from './mock-clock.ts'
import type { Store } from './store.ts'

/** A strict zod object schema for settings or secrets. */
export interface FieldsSchema extends Schema {
  readonly shape: Readonly<Record<string, unknown>>
  toJSONSchema(options: { io: 'input'; unrepresentable: 'any' }): unknown
}

/**
 * The parts of a delivery provider that a mock needs. Providers created with `defineProvider` from `@flowpost/delivery`
 * have these parts.
 */
export interface MockProvider extends Channel {
  readonly settings: FieldsSchema
  readonly secrets: FieldsSchema
  /** The fields that determine where secrets are sent. Defaults to all settings and secrets. */
  readonly secretDestination?: { readonly settings?: readonly string[]; readonly secrets?: readonly string[] }
}

/** A mock's providers, keyed by `source_type`, in the order in which `providers.list` returns them. */
export type Providers = ReadonlyMap<string, MockProvider>

/** The immutable settings of a mock. */
export interface Settings {
  readonly providers: Providers
  /** The source types for which the deployment has credentials. */
  readonly deploymentCredentials: ReadonlySet<string>
  readonly capture: CaptureMode
  readonly retryPolicy: RetryPolicy
  readonly ambiguous: AmbiguousPolicy
  readonly bodyLimitBytes: number
  readonly queueLimit: number
}

/** The shared state and services of a mock. */
export interface MockContext {
  readonly settings: Settings
  readonly store: Store
  readonly clock: InternalClock
  readonly generateId: GenerateId
  readonly random: Random
  readonly tokens: ReturnType<typeof createTokens>
}

/** Returns the current time, or `at`, as an API timestamp. */
export const timestamp = (context: Pick<MockContext, 'clock'>, at = context.clock.now()): string => new Date(at).toISOString()

/**
 * Returns the time of a change to the given resources, as an API timestamp: the current time, or 1 ms after the latest
 * `updated_at` if that is later. So every change has a new entity tag, even while the clock stands still.
 */
export const timeOfChange = (context: Pick<MockContext, 'clock'>, ...changed: readonly { readonly updated_at: string }[]): string =>
  timestamp(
    context,
    changed.reduce((latest, { updated_at }) => Math.max(latest, Date.parse(updated_at) + 1), context.clock.now()),
  )

/** Returns the provider for a source type, or `undefined` if the mock does not support it. */
export const providerOf = (context: MockContext, sourceType: string): MockProvider | undefined => context.settings.providers.get(sourceType)

/** Returns the providers as the `Channels` that the domain rules use. */
export const channelsOf = ({ settings: { providers } }: MockContext): Channels => ({
  get: (sourceType) => providers.get(sourceType),
  ids: [...providers.keys()],
})
