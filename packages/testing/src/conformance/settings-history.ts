import type { SettingsHistoryEntry } from '@flowpost/client'
import type { ScenarioContext } from './context.ts'
import { samples } from './samples.ts'

/** Returns the recorded changes to a project's settings, oldest first. */
export const historyOf = async ({ client }: Pick<ScenarioContext, 'client'>, project_id: string): Promise<SettingsHistoryEntry[]> => {
  const entries: SettingsHistoryEntry[] = []
  for await (const entry of client.settings.history({ project_id })) entries.push(entry)
  return entries.reverse()
}

/** Returns the action, kind, key and changed fields of each entry. */
export const summarize = (entries: readonly SettingsHistoryEntry[]) =>
  entries.map(({ action, kind, key, fields }) => [action, kind, key, fields.toSorted()])

/**
 * Returns a time on the server's clock that is after `timestamp`. Waits until the clock has passed the returned time,
 * so that the caller's next change is later than that time.
 */
export const momentAfter = async (context: ScenarioContext, timestamp: string): Promise<string> => {
  const waitForLater = async (than: string): Promise<string> => {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const now = await context.serverTime(0)
      if (now > than) return now
    }
    const { params = {} } = await samples['notifications.get'](context)
    // A simulated server clock advances only while a request waits, so this request waits for a second.
    await context.http.expect('notifications.get', 200, { params, query: { wait: '1' } })
    return context.serverTime(0)
  }
  const moment = await waitForLater(timestamp)
  await waitForLater(moment)
  return moment
}
