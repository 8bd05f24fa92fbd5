import { type Flowpost, isFlowpostError, type NotificationExplanation } from '@flowpost/client'
import type { Paint } from '../output/colors.ts'
import { formatTable } from '../output/table.ts'
import { toSafeLine } from '../output/terminal-text.ts'

const reasons: Readonly<Record<string, string>> = {
  not_named: 'the request names another flow',
  inactive: 'the flow was inactive',
  not_targeted: "none of the request's targets matches the flow",
}

/** Reads a notification's explanation. Returns `null` if the server is too old to provide explanations. */
export const readExplanation = async (flowpost: Flowpost, id: string, signal: AbortSignal): Promise<NotificationExplanation | null> => {
  try {
    return await flowpost.notifications.explanation(id, { signal })
  } catch (error) {
    if (isFlowpostError(error) && error.status === 404) return null
    throw error
  }
}

/** Describes which flows a notification triggered, and why other flows were skipped. */
export const formatExplanation = (paint: Paint, explanation: NotificationExplanation | null): string[] => {
  if (explanation === null) return ['flows      unknown: this server does not explain notifications']
  const { flows, unknown } = explanation
  if (flows === null) return [`flows      unknown: ${toSafeLine(unknown?.detail ?? 'the server gives no reason')}`]
  const rows = flows.map(({ flow_id, key, name, source_type, outcome, reason }) => {
    const result =
      outcome === 'triggered' ? paint('green', outcome) : `${toSafeLine(outcome)}: ${toSafeLine(reasons[reason ?? ''] ?? reason ?? '')}`
    return ['', toSafeLine(key ?? name), toSafeLine(flow_id), toSafeLine(source_type), result]
  })
  return ['flows', ...formatTable(rows)]
}
