import type { Channel } from '@flowpost/domain'
import type { Schema } from '../http/operations.ts'

/** A schema of settings or secrets: a zod strict object. */
export interface FieldsSchema extends Schema {
  readonly shape: Readonly<Record<string, unknown>>
  toJSONSchema(options: { io: 'input'; unrepresentable: 'any' }): unknown
}

/** A delivery provider as far as a mock needs it; what `defineProvider` of `@flowpost/delivery` makes fits. */
export interface MockProvider extends Channel {
  readonly settings: FieldsSchema
  readonly secrets: FieldsSchema
  /** The fields that decide where secrets go. Default: every setting and every secret. */
  readonly secretDestination?: { readonly settings?: readonly string[]; readonly secrets?: readonly string[] }
}

/** The providers that a mock serves, by `source_type`, in the order that they are listed in. */
export type Providers = ReadonlyMap<string, MockProvider>
