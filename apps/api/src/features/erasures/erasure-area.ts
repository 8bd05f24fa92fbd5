import type { AddressRedactor, Channels } from '@flowpost/domain'
import type { Transaction } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { Recipients } from '../delivery/recipients/recipients.ts'

/** The recipient of an erasure. */
export interface ErasedPerson {
  readonly userId: string
  readonly digest: Uuid
  /** The only provider whose deliveries are erased; empty for every provider. */
  readonly sourceType: string
  /** The `recipientKey`. */
  readonly key: string
  /** The id before which notifications are erased. Later ones were accepted after the request. */
  readonly before: Uuid
  /** The replacement of the address: `erased:` and the digest. */
  readonly replacement: string
  readonly redactor: AddressRedactor
  /** Returns whether a delivery is to the recipient. */
  isErased(delivery: { readonly source_type: string; readonly target: string }): boolean
}

/** The dependencies of the areas. */
export interface ErasureAreaDeps {
  readonly clock: Clock
  readonly channels: Channels
  readonly recipients: Recipients
}

/** The result of a step. */
export interface StepResult {
  /** The position of the next step; `null` if the area is erased. */
  readonly next: string | null
  /** How many deliveries the step has erased. */
  readonly erased: number
}

/**
 * Erases the recipient from one area of the database, one bounded step at a time, in the transaction of the caller.
 * @param position `null` for the first step.
 */
export type EraseStep = (
  transaction: Transaction,
  deps: ErasureAreaDeps,
  person: ErasedPerson,
  position: string | null,
) => Promise<StepResult>

/** Returns an SQL condition that is true if a text contains one of the needles in the array parameter. See `AddressRedactor.needles`. */
export const containsNeedle = (text: string, parameter: `$${number}`): string =>
  `exists (select 1 from unnest(${parameter}::text[]) as needle where position(needle in lower(${text})) > 0)`
