import type {
  Attempt,
  Delivery,
  DeliveryFailure,
  DeliveryReceipt,
  DeliveryWithAttempts,
  Notification,
  NotificationWithAttempts,
} from '@flowpost/client'
import { type Paint, paintStatus } from '../output/colors.ts'
import { formatCount, toSafeLine } from '../output/terminal-text.ts'
import { formatDuration, formatTime } from '../output/time-text.ts'

/** Describes a failure in one line. */
export const formatFailure = ({ kind, code, detail, retryable }: DeliveryFailure): string =>
  toSafeLine(`${kind} ${code}: ${detail}${retryable ? ' (may succeed later)' : ''}`)

/** Returns a delivery's status as displayed: `captured` instead of `sent` if the message did not leave the server. */
const shownStatus = ({ status, captured }: Delivery): string => toSafeLine(captured && status === 'sent' ? 'captured' : status)

/** Returns the number of deliveries in each status as text, such as `2 sent, 1 failed`. */
export const summarizeDeliveries = (deliveries: readonly Delivery[]): string => {
  const counts = new Map<string, number>()
  for (const delivery of deliveries) counts.set(shownStatus(delivery), (counts.get(shownStatus(delivery)) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ')
}

/** Describes an attempt in one line. */
export const formatAttempt = (paint: Paint, { number, started_at, duration_ms, outcome, provider_response }: Attempt): string => {
  const duration = duration_ms === null ? '' : ` in ${formatDuration(duration_ms)}`
  const response = provider_response === null ? '' : `: ${toSafeLine(provider_response)}`
  return `attempt ${formatCount(number)}  ${formatTime(started_at)}  ${paintStatus(paint, toSafeLine(outcome))}${duration}${response}`
}

/** Describes a delivery in one line. */
export const formatDelivery = (paint: Paint, delivery: Delivery): string => {
  const { source_type, target, next_attempt_at, provider_message_id } = delivery
  const next = next_attempt_at === null ? '' : `, next attempt ${formatTime(next_attempt_at)}`
  const handle = provider_message_id === null ? '' : `, ${toSafeLine(provider_message_id)}`
  return `${toSafeLine(`${source_type}:${target}`)}  ${paintStatus(paint, shownStatus(delivery))}${next}${handle}`
}

/** Describes a notification, without its deliveries. */
export const formatNotification = (paint: Paint, notification: Notification | NotificationWithAttempts): string[] => {
  const { id, status, subject, project_id, reference, metadata, created_at, expires_at, test } = notification
  const lines = [
    `${paint('bold', toSafeLine(id))}  ${paintStatus(paint, toSafeLine(status))}${test ? '  test' : ''}`,
    `subject    ${subject === null ? '(no longer stored)' : toSafeLine(subject)}`,
    `project    ${toSafeLine(project_id)}`,
    `created    ${formatTime(created_at)}`,
  ]
  if (expires_at !== null) lines.push(`expires    ${formatTime(expires_at)}`)
  if (reference !== null) lines.push(`reference  ${toSafeLine(reference)}`)
  for (const [key, value] of Object.entries(metadata)) lines.push(`metadata   ${toSafeLine(`${key}=${value}`)}`)
  return lines
}

const formatReceipt = ({ status, at, code, detail }: DeliveryReceipt): string => {
  const explanation = [code, detail].filter((text) => text !== null).join(' ')
  return `${toSafeLine(status)}  ${formatTime(at)}${explanation === '' ? '' : `  ${toSafeLine(explanation)}`}`
}

/** Describes a delivery with its failure, its attempts and its receipt. */
export const formatDeliveryInFull = (paint: Paint, delivery: DeliveryWithAttempts): string[] => {
  const { id, flow_id, attempts, attempt_count, failure, receipt } = delivery
  const lines = [formatDelivery(paint, delivery), `  ${paint('dim', toSafeLine(`${id}, flow ${flow_id}`))}`]
  if (attempt_count > attempts.length) lines.push(`  earlier attempts not shown: ${attempt_count - attempts.length}`)
  for (const attempt of attempts) lines.push(`  ${formatAttempt(paint, attempt)}`)
  if (failure !== null) lines.push(`  ${paint('red', 'failure')}    ${formatFailure(failure)}`)
  if (receipt !== null) lines.push(`  receipt    ${formatReceipt(receipt)}`)
  return lines
}
