import type { SettingsConsequences } from '@flowpost/client'
import type { Output } from '../output/output.ts'
import { formatCount, toSafeLine } from '../output/terminal-text.ts'

const toDeliveryLine = ({ source_type: sourceType, before, after }: SettingsConsequences['deliveries'][number]): string => {
  const count = Math.abs(after - before)
  return `${formatCount(count)} ${after > before ? 'more' : 'fewer'} ${count === 1 ? 'delivery' : 'deliveries'} to ${sourceType}`
}

type Affected = SettingsConsequences['without_flow']

const toAffectedLines = ({ notifications, notification_id: id }: Affected, effect: string): string[] =>
  notifications === 0 ? [] : [`${formatCount(notifications)} ${effect} (${id})`]

/**
 * Returns one line for each effect, such as `3 rejected: content_too_long (ntf_…)`. An id in a line identifies the newest
 * affected notification.
 */
const toLines = ({ deliveries, rejected, without_flow, changed_messages, changed_targets }: SettingsConsequences): string[] => [
  ...deliveries.map(toDeliveryLine),
  ...rejected.flatMap(({ code, ...affected }) => toAffectedLines(affected, `rejected: ${code}`)),
  ...toAffectedLines(without_flow, 'to no flow'),
  ...toAffectedLines(changed_messages, 'with a changed message'),
  ...toAffectedLines(changed_targets, 'with another target'),
]

/** Prints how changes would have affected recent notifications. Prints nothing if there are no notifications. */
export const printConsequences = ({ print }: Pick<Output, 'print'>, consequences: SettingsConsequences): void => {
  const { examined, not_examined: notExamined, since, complete } = consequences
  if (since === null) return
  const lines = toLines(consequences)
  const what = `${formatCount(examined)} ${examined === 1 ? 'notification' : 'notifications'} since ${toSafeLine(since)}`
  print(lines.length === 0 ? `\nNo consequences for ${what}.` : `\nFor ${what}, the changes would have meant:`)
  for (const line of lines) print(`  ${toSafeLine(line)}`)
  if (notExamined > 0)
    print(
      `  ${formatCount(notExamined)} more could not be examined: their messages are no longer stored, or their flows have since changed.`,
    )
  if (!complete) print('  Older notifications are not included, because a limit was reached.')
}
