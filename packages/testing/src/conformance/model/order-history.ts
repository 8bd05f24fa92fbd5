import type { SettingsHistoryEntry } from '@flowpost/client'
import type { PlainResponse } from '../http.ts'

const keyOf = ({ kind, resource_id, key }: SettingsHistoryEntry): string => `${kind} ${resource_id} ${key}`

/**
 * Groups the settings history entries by request, and sorts each group by kind, resource id and key. Servers may record
 * the changes of one request in different orders.
 */
export const orderHistory = (response: PlainResponse): PlainResponse => {
  if (response.status !== 200) return response
  const entries = response.json.data as readonly SettingsHistoryEntry[]
  const byRequest = new Map<string, SettingsHistoryEntry[]>()
  for (const entry of entries) byRequest.set(entry.request_id, [...(byRequest.get(entry.request_id) ?? []), entry])
  const data = [...byRequest.values()].flatMap((ofRequest) => ofRequest.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)))
  return { ...response, json: { ...response.json, data } }
}
