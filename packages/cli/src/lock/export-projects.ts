import type { Flowpost, SettingsExport } from '@flowpost/client'
import { mapConcurrently } from '../map-concurrently.ts'

const maxConcurrentExports = 4

/**
 * Exports the settings of projects.
 *
 * @param keys The `key` fields of the projects. If `undefined`, every project that has a `key` is exported.
 * @returns The exports, and the given keys that no project has.
 */
export const exportProjects = async (
  flowpost: Flowpost,
  keys: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<{ readonly exported: SettingsExport[]; readonly missing: string[] }> => {
  const found = new Map<string, string>()
  for await (const { id, key } of flowpost.projects.list({ limit: 1000 }, { signal }))
    if (key !== null && (keys?.includes(key) ?? true)) found.set(key, id)
  const exported = await mapConcurrently([...found.values()], maxConcurrentExports, (id) => flowpost.settings.export(id, { signal }))
  return { exported, missing: [...new Set(keys)].filter((key) => !found.has(key)) }
}
