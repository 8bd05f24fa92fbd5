import { erasedFailure, eraseFailureText, mailStatusCodePattern, openStatuses, statusesBefore } from '@flowpost/domain'
import { pageLimit, type Queryable, type Transaction } from '../../database/database.ts'
import { anyUuid, inLiterals } from '../../database/query-hints.ts'
import { hasEventEndpoint } from '../../shared/event-facts.ts'
import { lowestUuid, type Uuid } from '../../shared/ids.ts'
import { aggregateNotifications } from '../delivery/attempts/aggregate-status.ts'
import { lockNotifications } from '../delivery/attempts/record-outcomes.ts'
import { type ChangedDelivery, factsOf } from '../delivery/completion-facts.ts'
import { insertDigestsFrom } from '../delivery/recipients/recipient-digests.ts'
import { eraseBulkActions } from './erase-bulk-actions.ts'
import { type ErasedPerson, type EraseStep, type ErasureAreaDeps, maxStepBytes } from './erasure-area.ts'
import { findTexts, redactTexts } from './redact-texts.ts'

const pageSize = 100
// A page ends early after this many parts. A part is a delivery, an attempt, or `bytesPerPart` bytes of a message.
const maxParts = 2_048
const bytesPerPart = maxStepBytes / maxParts

// `counted` repeats the id of each notification, once for each part of that notification (see `maxParts`). `counted` has at
// most `maxParts` rows in total. The page ends with the last notification in `counted`. That notification is erased
// completely, even if `counted` does not have rows for all of its parts. The inner `limit` makes the planner look up
// deliveries for one notification at a time.
const page = `with page as materialized (
    select id from notifications where user_id = $1 and id > $2 and id < $4 order by id ${pageLimit('$3')}
  ), counted as materialized (
    select page.id from page left join lateral (
      select generate_series(0, d.attempt_count + coalesce(octet_length(b.content::text), 0) / ${bytesPerPart})
      from deliveries d left join message_bodies b on b.notification_id = d.notification_id and b.delivery_id = d.id
      where d.notification_id = page.id limit ${maxParts}
    ) part on true limit ${maxParts}
  )
  select id, (select count(*) from page)::int as found from page
  where id <= (select id from counted order by id desc limit 1) order by id`

const deliveriesOfPage = `select id, notification_id, source_type, target from deliveries where ${anyUuid('notification_id', '$1')}`

// The lock is a separate statement. If it were part of `erase`, `erase` would not see attempts that were started while it
// waited for the lock.
const lockDeliveries = `select 1 from deliveries where ${anyUuid('id', '$1')} order by id for no key update`

// The first condition on `r.digest` lets PostgreSQL use the index on digests.
const removeDigests = `delete from recipient_digests r using deliveries d
  where ${anyUuid('d.id', '$1')} and r.digest = any(array(select recipient_digest from deliveries where ${anyUuid('id', '$1')}))
    and r.digest = d.recipient_digest and r.notification_id = d.notification_id and r.delivery_id = d.id`

// Returns a receipt without the texts that `withoutTexts` removes; null if there is no receipt.
const receiptWithoutTexts = `d.receipt || jsonb_build_object('detail', null, 'code',
  case when d.receipt->>'code' ~ '${mailStatusCodePattern}' then d.receipt->>'code' end)`

// After this statement, an attempt in progress can no longer record its outcome, because its delivery is not `sending` anymore.
const erase = `with erased as (
    update deliveries d set target = $2, recipient_digest = $3, provider_message_id = null, next_attempt_at = null,
      receipt = ${receiptWithoutTexts},
      status = case when ${inLiterals('d.status', statusesBefore('canceled'))} then 'canceled' when d.status = 'sending' then 'ambiguous' else d.status end,
      settled_at = case when ${inLiterals('d.status', openStatuses)} then $4 else d.settled_at end,
      failure = case when ${inLiterals('d.status', statusesBefore('canceled'))} then $5::jsonb when d.status = 'sending' then $6::jsonb
        when d.failure is not null then d.failure || $7::jsonb end
    from (select id, status from deliveries where ${anyUuid('id', '$1')}) previous
    where ${anyUuid('d.id', '$1')} and d.id = previous.id
    returning d.id, d.notification_id, d.project_id, d.status, d.failure, d.recipient_digest as digest,
      ${inLiterals('previous.status', openStatuses)} as was_open
  ), erased_attempts as (
    update attempts a set provider_response = null, outcome = case when a.outcome = 'sending' then 'ambiguous' else a.outcome end
    where a.delivery_id = any(array(select id from erased))
  ), removed_jobs as (
    delete from delivery_jobs where delivery_id = any(array(select id from erased))
  ), removed_bodies as (
    delete from message_bodies b using erased e
    where b.notification_id = any(array(select notification_id from erased)) and b.notification_id = e.notification_id and b.delivery_id = e.id
  ), removed_captured as (
    delete from captured_messages where delivery_id = any(array(select id from erased))
  ), new_digests as (
    ${insertDigestsFrom('erased')}
  )
  select id, notification_id, project_id, status, ${hasEventEndpoint('erased.project_id')} as has_events from erased where was_open`

interface FoundDelivery {
  readonly id: Uuid
  readonly notification_id: Uuid
  readonly source_type: string
  readonly target: string
}

/** Erases the recipient from the given deliveries. Returns the deliveries that were unfinished and that this call completed. */
const eraseDeliveries = async (
  transaction: Queryable,
  { clock, recipients }: ErasureAreaDeps,
  { userId, replacement }: ErasedPerson,
  found: readonly FoundDelivery[],
): Promise<ChangedDelivery[]> => {
  const completed: ChangedDelivery[] = []
  await transaction.query(lockDeliveries, [found.map(({ id }) => id)])
  for (const [sourceType, deliveries] of Map.groupBy(found, ({ source_type }) => source_type)) {
    const ids = deliveries.map(({ id }) => id)
    // Stores the digest of the replacement, so that a search for the replacement finds the deliveries.
    const digest = recipients.digestOf({ user_id: userId, source_type: sourceType, target: replacement })
    const ambiguous = { ...erasedFailure, kind: 'ambiguous' }
    const { detail } = eraseFailureText(erasedFailure)
    await transaction.query(removeDigests, [ids])
    const failures = [erasedFailure, ambiguous, { detail }].map((failure) => JSON.stringify(failure))
    completed.push(...(await transaction.query<ChangedDelivery & object>(erase, [ids, replacement, digest, clock.now(), ...failures])))
  }
  return completed
}

/**
 * Erases the recipient from the user's bulk actions, and then from the notifications, oldest first. This covers the
 * deliveries to the recipient, with their attempts and messages, and all other texts that mention the address.
 */
export const eraseLog: EraseStep = async (transaction: Transaction, deps, person, position) => {
  // A bulk action copies its request id to the jobs that it creates, so its own copy is erased first.
  if (position === null) await eraseBulkActions(transaction, person)
  const rows = await transaction.query<{ id: Uuid; found: number }>(page, [person.userId, position ?? lowestUuid, pageSize, person.before])
  const ids = rows.map(({ id }) => id)
  const last = ids.at(-1)
  if (last === undefined) return { next: null, erased: 0 }

  const deliveries = await transaction.query<FoundDelivery & object>(deliveriesOfPage, [ids])
  const found = deliveries.filter(person.isErased)
  const withText = await findTexts(transaction, person, ids)
  const affected = [...new Set([...found, ...withText].map(({ notification_id }) => notification_id))]
  if (affected.length > 0) {
    await transaction.query(lockNotifications, [affected])
    const completed = await eraseDeliveries(transaction, deps, person, found)
    await redactTexts(transaction, person, affected)
    const facts = factsOf(completed, await aggregateNotifications(transaction, deps.clock, affected))
    if (facts.length > 0) await deps.recordEvents(transaction, facts)
  }
  // The page is the last one if it has fewer than `pageSize` notifications and did not end early because of `maxParts`. `found`
  // is the number of notifications before `maxParts` is applied, so `rows` has fewer notifications if the page ended early.
  const isLast = rows.length === rows[0]?.found && rows.length < pageSize
  return { next: isLast ? null : last, erased: found.length }
}
