import type { PlanDeps } from '../planning/plan-deliveries.ts'
import { type ComparedFlow, compareOutcomes, flowMissing, type OutcomeDifference, planOutcome } from './compare-plans.ts'
import { type DatedFlow, recoverRequest, type StoredNotification } from './recover-request.ts'

/** The number of affected notifications, and the id of the newest one. The id is `null` if no notification is affected. */
export interface Affected {
  notifications: number
  notification_id: string | null
}

/** The effects that new settings would have had on past notifications. Most fields have the same names as in the API. */
export interface Consequences {
  /** The number of notifications whose deliveries were computed under the old and the new settings. */
  examined: number
  /** The number of notifications that were read but whose request could not be recovered. */
  not_examined: number
  /** The acceptance time of the oldest notification that was read, in milliseconds since the epoch; `null` if none was read. */
  sinceMs: number | null
  /** Whether all notifications were read; `false` if a limit was reached first. */
  complete: boolean
  /** The number of deliveries under the old and the new settings, for each provider whose number changes. */
  deliveries: { source_type: string; before: number; after: number }[]
  /**
   * The notifications that the old settings accept but the new settings reject, grouped by the code of the rejection. Excludes
   * the notifications in `without_flow`.
   */
  rejected: (Affected & { code: string })[]
  /** The notifications that are accepted under the old settings but would reach no flow under the new ones. */
  without_flow: Affected
  changed_messages: Affected
  changed_targets: Affected
}

/** The settings to compare, and the limits of the comparison. */
export interface Examination {
  readonly before: readonly DatedFlow[]
  readonly after: readonly ComparedFlow[]
  readonly channelOf: PlanDeps<never>['channelOf']
  /** The maximum number of notifications to read. @default 10,000 */
  readonly maxNotifications?: number
  /** The time limit, in milliseconds. @default 2,000 */
  readonly maxMs?: number
  /** Returns a monotonic time, in milliseconds. */
  readonly now: () => number
  /** Yields to the event loop, so that other work can run. Called after each notification. */
  readonly yieldTurn: () => Promise<void>
}

// The API description in the contract states these limits.
const defaultMaxNotifications = 10_000
const defaultMaxMs = 2_000

const noFlow: ReadonlySet<string> = new Set(['no_active_flows', 'flow_inactive', flowMissing])

const none = (): Affected => ({ notifications: 0, notification_id: null })

const addTo = (affected: Affected, id: string): void => {
  affected.notifications += 1
  affected.notification_id ??= id
}

const createTally = () => {
  const deliveries = new Map<string, { before: number; after: number }>()
  const rejected = new Map<string, Affected>()
  const [withoutFlow, messages, targets] = [none(), none(), none()]

  const count = (side: 'before' | 'after', counts: ReadonlyMap<string, number>) => {
    for (const [sourceType, number] of counts) {
      const entry = deliveries.get(sourceType) ?? { before: 0, after: 0 }
      entry[side] += number
      deliveries.set(sourceType, entry)
    }
  }

  return {
    add: (id: string, difference: OutcomeDifference): void => {
      count('before', difference.before)
      count('after', difference.after)
      const { rejection } = difference
      if (rejection !== undefined && noFlow.has(rejection)) addTo(withoutFlow, id)
      else if (rejection !== undefined) {
        const entry = rejected.get(rejection) ?? none()
        addTo(entry, id)
        rejected.set(rejection, entry)
      }
      if (difference.hasChangedMessage) addTo(messages, id)
      if (difference.hasChangedTarget) addTo(targets, id)
    },
    result: () => ({
      deliveries: [...deliveries]
        .map(([source_type, numbers]) => ({ source_type, ...numbers }))
        .filter(({ before, after }) => before !== after)
        .sort((a, b) => (a.source_type < b.source_type ? -1 : 1)),
      rejected: [...rejected].map(([code, entry]) => ({ code, ...entry })).sort((a, b) => (a.code < b.code ? -1 : 1)),
      without_flow: withoutFlow,
      changed_messages: messages,
      changed_targets: targets,
    }),
  }
}

/**
 * Replans past notifications under the old and the new settings, and compares the outcomes. Stops when all
 * notifications are read or a limit is reached.
 * @param pages The notifications, newest first. No page is requested after the time limit. If a page ends exactly at
 * `maxNotifications`, the next page is requested to find out whether there are more notifications.
 */
export const examineNotifications = async (
  pages: AsyncIterable<readonly StoredNotification[]> | Iterable<readonly StoredNotification[]>,
  { before, after, channelOf, maxNotifications = defaultMaxNotifications, maxMs = defaultMaxMs, now, yieldTurn }: Examination,
): Promise<Consequences> => {
  const deadline = now() + maxMs
  const tally = createTally()
  const progress = { examined: 0, not_examined: 0, sinceMs: null as number | null }
  const finish = (complete: boolean): Consequences => ({ ...progress, complete, ...tally.result() })
  for await (const page of pages) {
    for (const notification of page) {
      if (progress.examined + progress.not_examined >= maxNotifications || now() >= deadline) return finish(false)
      progress.sinceMs = notification.createdAtMs
      const request = recoverRequest(notification, before, channelOf)
      if (request) {
        tally.add(notification.id, compareOutcomes(planOutcome(before, request, channelOf), planOutcome(after, request, channelOf)))
        progress.examined += 1
      } else progress.not_examined += 1
      await yieldTurn()
    }
    if (now() >= deadline) return finish(false)
  }
  return finish(true)
}
