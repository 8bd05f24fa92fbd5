import type { SettingsHistoryEntry } from '@flowpost/client'
import type { PlainResponse } from '../http.ts'

const keyOf = ({ kind, resource_id, key }: SettingsHistoryEntry): string => `${kind} ${resource_id} ${key}`

/**
 * Sorts the settings history entries of each request by resource. The order in which a request's changes are recorded may
 * differ between servers.
 */
export const orderHistory = (response: PlainResponse): PlainResponse => {
  if (response.status !== 200) return response
  const entries = response.json.data as readonly SettingsHistoryEntry[]
  const byRequest = new Map<string, SettingsHistoryEntry[]>()
  for (const entry of entries) byRequest.set(entry.request_id, [...(byRequest.get(entry.request_id) ?? []), entry])
  const data = [...byRequest.values()].flatMap((ofRequest) => ofRequest.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)))
  return { ...response, json: { ...response.json, data } }
}
