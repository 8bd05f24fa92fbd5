import type { Attempt, DeliveryWithAttempts, Flowpost, NotificationWithAttempts } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import { paintStatus } from '../output/colors.ts'
import type { Output } from '../output/output.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { formatAttempt, formatDelivery, formatFailure, formatNotification } from './notification-text.ts'

/** The maximum `wait` of one request, in seconds. The wait grows while nothing changes. */
const maxWaitSeconds = 10

const isOpen = ({ status }: NotificationWithAttempts): boolean => status === 'queued' || status === 'sending'

/** Options for following a notification. */
export interface FollowOptions {
  readonly flowpost: Flowpost
  readonly id: string
  readonly output: Output
  readonly signal: AbortSignal
  readonly now: () => number
  /** Maximum duration in milliseconds; `undefined` to follow the notification until it is completed. */
  readonly maxMs: number | undefined
}

/**
 * Creates a function that prints the attempts and delivery states that have changed since its previous call. The
 * function returns whether it printed any.
 */
const createChangePrinter = (output: Output) => {
  const shown = new Map<string, string>()
  const printOnce = (key: string, state: string, print: () => void): boolean => {
    if (shown.get(key) === state) return false
    shown.set(key, state)
    print()
    return true
  }
  const prefixOf = ({ source_type, target }: DeliveryWithAttempts) => toSafeLine(`${source_type}:${target}`)
  const printAttempt = (delivery: DeliveryWithAttempts, attempt: Attempt): boolean =>
    attempt.duration_ms !== null &&
    printOnce(attempt.id, attempt.outcome, () => {
      output.print(`${prefixOf(delivery)}  ${formatAttempt(output.paint, attempt)}`)
      output.printJsonLine({ event: 'attempt', delivery_id: delivery.id, target: delivery.target, attempt })
    })
  const printDelivery = (delivery: DeliveryWithAttempts): boolean =>
    printOnce(delivery.id, `${delivery.status} ${delivery.next_attempt_at}`, () => {
      output.print(formatDelivery(output.paint, delivery))
      if (delivery.failure !== null) output.print(`  ${formatFailure(delivery.failure)}`)
      output.printJsonLine({ event: 'delivery', delivery: { ...delivery, attempts: undefined } })
    })
  return ({ deliveries }: NotificationWithAttempts): boolean => {
    let hasChanged = false
    for (const delivery of deliveries) {
      for (const attempt of delivery.attempts) if (printAttempt(delivery, attempt)) hasChanged = true
      if (printDelivery(delivery)) hasChanged = true
    }
    return hasChanged
  }
}

/**
 * Follows a notification until every delivery has a final status, and prints each attempt and delivery change. With
 * JSON, prints one event per line, and the completed notification last.
 *
 * @throws {CliError} When the notification is not completed in time.
 */
export const followNotification = async (options: FollowOptions): Promise<NotificationWithAttempts> => {
  const { flowpost, id, output, signal, now, maxMs } = options
  const printChanges = createChangePrinter(output)
  const endsAt = maxMs === undefined ? Number.POSITIVE_INFINITY : now() + maxMs
  return output.withProgress(`Waiting for ${toSafeLine(id)}`, async (progress) => {
    let isFirst = true
    // A waiting request returns only when the notification is completed or the wait ends. Short waits therefore show
    // attempts soon after they happen.
    for (let wait = 1; ; ) {
      const notification = await flowpost.notifications.get(id, isFirst ? {} : { wait }, { signal })
      if (isFirst) for (const line of formatNotification(output.paint, notification)) output.print(line)
      isFirst = false
      wait = printChanges(notification) ? 1 : Math.min(maxWaitSeconds, wait + 1)
      if (!isOpen(notification)) {
        output.print(`${toSafeLine(id)} is ${paintStatus(output.paint, toSafeLine(notification.status))}.`)
        output.printJsonLine({ event: 'completed', notification })
        return notification
      }
      if (now() >= endsAt)
        throw new CliError(`${id} is not completed yet.`, 'The server is still delivering it. Follow it with `flowpost watch`.')
      wait = Math.max(1, Math.min(wait, Math.ceil((endsAt - now()) / 1_000)))
      progress.update(`Waiting for ${toSafeLine(id)}`)
    }
  })
}
