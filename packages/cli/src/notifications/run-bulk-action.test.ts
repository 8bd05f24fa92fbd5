import { expect, it } from 'vitest'
import type { CommandContext } from '../command-context.ts'
import type { Io } from '../io.ts'
import { createOutput } from '../output/output.ts'
import { runBulkAction } from './run-bulk-action.ts'

/** Runs a bulk action without confirmation. Returns the output, and for each request whether it was a dry run. */
const runWith = async (preview: object) => {
  let text = ''
  const dryRuns: boolean[] = []
  const stream = { write: (part: string) => (text += part) }
  const io = { stdin: {}, stdout: stream, stderr: stream, env: {}, signal: new AbortController().signal } as unknown as Io
  const create = async ({ dry_run }: { dry_run: boolean }) => {
    dryRuns.push(dry_run)
    return dry_run ? preview : { id: 'bka_1', action: 'retry', status: 'done', done: 3, skipped: 0 }
  }
  const connect = async () => ({ flowpost: { bulkActions: { create } } })
  const context = { io, output: createOutput(io, false), connect, setExitCode: () => {} } as unknown as CommandContext
  await runBulkAction(context, 'retry', { project: 'prj_1', since: '2026-11-23T00:00:00Z', yes: true })
  return { text, dryRuns }
}

it('starts the action if no match was found among the notifications that were counted, but there are more', async () => {
  const { text, dryRuns } = await runWith({ matched: 0, is_complete: false, counts: [] })
  expect(text).toContain('At least 0 deliveries match.\n')
  expect(text).toContain('bka_1 is done: 3 deliveries retried, 0 skipped.\n')
  expect(dryRuns).toEqual([true, false])
})

it('starts no action if nothing matches', async () => {
  expect((await runWith({ matched: 0, is_complete: true, counts: [] })).dryRuns).toEqual([true])
})
