import type { AmbiguousPolicy, CaptureMode, Channels, RetryPolicy } from '@flowpost/domain'
import type { OwnClock } from '../clock/mock-clock.ts'
import type { MakeId } from '../ids.ts'
import type { createWords, Random } from '../random.ts'
import type { MockProvider, Providers } from './providers.ts'
import type { Store } from './store.ts'

/** What decides how a mock behaves; all of it is fixed when it is made. */
export interface Settings {
  readonly providers: Providers
  /** The `source_type`s that the deployment has credentials for. */
  readonly deploymentCredentials: ReadonlySet<string>
  readonly capture: CaptureMode
  readonly retryPolicy: RetryPolicy
  readonly ambiguous: AmbiguousPolicy
  readonly bodyLimitBytes: number
  readonly queueLimit: number
}

/** What every part of a mock works with. */
export interface World {
  readonly settings: Settings
  readonly store: Store
  readonly clock: OwnClock
  readonly makeId: MakeId
  readonly random: Random
  readonly words: ReturnType<typeof createWords>
}

/** The present instant as the wire has it. */
export const timestamp = (world: Pick<World, 'clock'>, at = world.clock.now()): string => new Date(at).toISOString()

/** The provider of a `source_type`, if the mock serves one. */
export const providerOf = (world: World, sourceType: string): MockProvider | undefined => world.settings.providers.get(sourceType)

/** What the rules of the domain ask of the providers. */
export const channelsOf = ({ settings: { providers } }: World): Channels => ({
  get: (sourceType) => providers.get(sourceType),
  ids: [...providers.keys()],
})
