import type { Flowpost, SettingsHistoryEntry } from '@flowpost/client'
import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { readLimit } from '../input/read-limit.ts'
import { findProjectId } from '../notifications/find-settings.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { formatTime } from '../output/time-text.ts'
import { describeEntry, printValues } from '../settings/history-text.ts'

const defaultLimit = 20

const describeAuthor = ({ changed_by }: SettingsHistoryEntry): string => toSafeLine(changed_by ?? 'access token')

/** Reads the newest changes, newest first. */
const readNewest = async (
  flowpost: Flowpost,
  { project, limit }: { readonly project: string | undefined; readonly limit: number },
  signal: AbortSignal,
): Promise<SettingsHistoryEntry[]> => {
  const project_id = project === undefined ? undefined : await findProjectId(flowpost, project)
  const entries: SettingsHistoryEntry[] = []
  for await (const entry of flowpost.settings.history({ project_id, limit: Math.min(limit, 1000) }, { signal })) {
    entries.push(entry)
    if (entries.length === limit) break
  }
  return entries
}

/** `flowpost history`: lists settings changes. */
export const defineHistory: DefineCommand = (command, { io, output, connect }) => {
  addExamples(command, 'flowpost history --project billing', 'flowpost history --values', 'flowpost history --json | jq .after')
  command.addHelpText('after', '\nLists newest first. With --json, prints one change per line, with the settings before and after.')
  command
    .option('-p, --project <project>', 'only this project, by id, key or name (a deleted project only by id)')
    .option('-n, --limit <number>', `how many changes to list (default: ${defaultLimit})`, readLimit)
    .option('--values', 'show the values before and after each change')
    .action(async ({ project, limit = defaultLimit, values = false }) => {
      const { flowpost } = await connect()
      const entries = await output.withProgress('Reading', () => readNewest(flowpost, { project, limit }, io.signal))
      for (const entry of entries) output.printJsonLine(entry)
      if (entries.length === 0) output.note('No changes are recorded.')
      else if (values)
        for (const entry of entries) {
          output.print([formatTime(entry.changed_at), describeAuthor(entry), describeEntry(entry)].join('  '))
          printValues(output, entry)
        }
      else
        output.printTable(
          ['CHANGED', 'BY', 'CHANGE'],
          entries.map((entry) => [formatTime(entry.changed_at), describeAuthor(entry), describeEntry(entry)]),
        )
    })
}
