import { type Channels, type ErasedRecipient, escapeRegExp } from '@flowpost/domain'
import type { Transaction } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import type { RecordEvents } from '../../shared/event-facts.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { Recipients } from '../delivery/recipients/recipients.ts'

/** The recipient whose data an erasure removes. `replacement` is `erased:` followed by the digest. */
export interface ErasedPerson extends ErasedRecipient {
  readonly userId: string
  readonly digest: Uuid
  /** The only provider whose deliveries are erased; empty if the erasure covers all providers. */
  readonly sourceType: string
  /** The recipient's normalized address, as `recipientKey` returns it. */
  readonly key: string
  /** The time limit of the erasure. Notifications that were accepted at or after this time are not erased. */
  readonly cutoff: Date
  /** The lowest notification id at `cutoff`. Only notifications with a lower id are erased. */
  readonly before: Uuid
}

/** The dependencies of an {@link EraseStep}. */
export interface ErasureAreaDeps {
  readonly clock: Clock
  readonly channels: Channels
  readonly recipients: Recipients
  readonly recordEvents: RecordEvents
}

/** The result of an {@link EraseStep}. */
export interface StepResult {
  /** The position at which the next step starts; `null` once the whole area is erased. */
  readonly next: string | null
  /** The number of deliveries that the step erased. */
  readonly erased: number
}

/**
 * A step of an erasure, in the caller's transaction. It erases the recipient from the next part of one area of the
 * database, such as the stored events. Each call does a limited amount of work.
 * @param position the position at which the step starts; `null` for the first step in the area.
 */
export type EraseStep = (
  transaction: Transaction,
  deps: ErasureAreaDeps,
  person: ErasedPerson,
  position: string | null,
) => Promise<StepResult>

/**
 * Returns an SQL condition that is true if `text` matches the regular expression in `parameter`, ignoring case. It is false
 * if `text` or the expression is null.
 */
export const matchesPattern = (text: string, parameter: `$${number}`): string => `coalesce(${text} ~* ${parameter}, false)`

/**
 * Returns the regular expression for {@link matchesPattern} that finds a recipient in stored JSON. If the address may
 * be a common word, such as `ops`, the expression matches only a field `target` with this address.
 */
export const patternInJson = ({ key, redactor }: ErasedPerson): string =>
  redactor.searchPattern ?? `"target": ?${escapeRegExp(JSON.stringify(key))}`

/** The maximum total size, in bytes, of the texts that a step examines. The last text can exceed this limit. */
export const maxStepBytes = 8 * 1_048_576

/**
 * Returns an SQL subquery with the first rows of `page`, up to {@link maxStepBytes} in total. The first row is always
 * included.
 * @param bytes an expression for the size of a row in bytes.
 * @param order the columns that determine the order of the rows.
 */
export const limitBytes = (page: string, bytes: string, order: string): string =>
  `(select * from (
    select *, sum(${bytes}) over (order by ${order} rows between unbounded preceding and 1 preceding) as bytes_before from ${page}
  ) as sized where bytes_before is null or bytes_before < ${maxStepBytes})`
