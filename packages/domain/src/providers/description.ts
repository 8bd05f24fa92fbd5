import type { z } from 'zod'
import type { Channel } from '../channels/channel.ts'

/** A provider without the functions that reach it: its channel, and what a credential for it holds. */
export interface ProviderDescription<
  Settings extends z.core.$ZodShape = z.core.$ZodShape,
  Secrets extends z.core.$ZodShape = z.core.$ZodShape,
> extends Channel {
  /** What a credential says openly. */
  readonly settings: z.ZodObject<Settings, z.core.$strict>
  /** What a credential keeps to itself. */
  readonly secrets: z.ZodObject<Secrets, z.core.$strict>
}
