import type { z } from 'zod'
import type { Channel } from '../channels/channel.ts'

/**
 * The fields of a credential that decide where its secrets go: to which server, into which account, or, for a secret that
 * signs, to whom the signature goes. When one of them changes, no stored secret is carried over: each must be given again.
 */
export interface SecretDestination {
  readonly settings?: readonly string[]
  /** A secret that is an address itself, such as a URL. It changes whenever it is given. */
  readonly secrets?: readonly string[]
}

/** A provider without the functions that reach it: its channel, and what a credential for it holds. */
export interface ProviderDescription<
  Settings extends z.core.$ZodShape = z.core.$ZodShape,
  Secrets extends z.core.$ZodShape = z.core.$ZodShape,
> extends Channel {
  /** What a credential says openly. */
  readonly settings: z.ZodObject<Settings, z.core.$strict>
  /** What a credential keeps to itself. */
  readonly secrets: z.ZodObject<Secrets, z.core.$strict>
  /** Where the secrets go. @default every setting and every secret */
  readonly secretDestination?: SecretDestination
}
