import type { BulkAction, BulkActionCreate, BulkActionPreview, Flowpost } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import type { CommandContext } from '../command-context.ts'
import { paintStatus } from '../output/colors.ts'
import type { Output } from '../output/output.ts'
import { formatCount, toSafeLine } from '../output/terminal-text.ts'
import { type BulkFilters, readBulkFilter } from './bulk-filters.ts'

/** Maximum number of seconds that one request waits for an action to end. */
const waitSeconds = 20

const verbs = { retry: { infinitive: 'Retry', past: 'retried' }, cancel: { infinitive: 'Cancel', past: 'canceled' } } as const

const countDeliveries = (count: number): string => `${formatCount(count)} ${count === 1 ? 'delivery' : 'deliveries'}`

const printPreview = ({ print, printTable, paint }: Output, { matched, is_complete, counts }: BulkActionPreview): void => {
  if (counts.length > 0)
    printTable(
      ['DELIVERIES', 'STATUS', 'FAILURE'],
      counts.map(({ status, failure_code, count }) => [
        formatCount(count),
        paintStatus(paint, toSafeLine(status)),
        toSafeLine(failure_code ?? '-'),
      ]),
    )
  print(`${is_complete ? '' : 'At least '}${countDeliveries(matched)} ${matched === 1 ? 'matches' : 'match'}.`)
}

/** Reads a bulk action repeatedly until the action ends. */
const followAction = async (flowpost: Flowpost, created: BulkAction, { io, output }: CommandContext): Promise<BulkAction> => {
  const explain = () =>
    output.warn(
      `The action ${toSafeLine(created.id)} continues on the server. To stop it: POST /v1/bulk-actions/${toSafeLine(created.id)}/stop`,
    )
  io.signal.addEventListener('abort', explain)
  try {
    return await output.withProgress('Running', async (progress) => {
      let action = created
      while (action.status === 'running') {
        progress.update(`${countDeliveries(action.done)} ${verbs[created.action === 'retry' ? 'retry' : 'cancel'].past}`)
        action = await flowpost.bulkActions.get(created.id, { wait: waitSeconds }, { signal: io.signal })
      }
      return action
    })
  } catch (error) {
    if (!io.signal.aborted) explain()
    throw error
  } finally {
    io.signal.removeEventListener('abort', explain)
  }
}

/** Shows how many deliveries match, asks for confirmation, starts the bulk action and follows it to its end. */
export const runBulkAction = async (
  context: CommandContext,
  kind: BulkActionCreate['action'],
  options: BulkFilters & { readonly dryRun?: true | undefined; readonly yes?: true | undefined; readonly spreadMs?: number | undefined },
): Promise<void> => {
  const { io, output, connect, setExitCode } = context
  const { infinitive, past } = verbs[kind]
  if (options.since === undefined)
    throw new CliError(
      'Name a notification by its id, or select deliveries with --since and other options.',
      `See \`flowpost ${kind} --help\`.`,
    )
  if (!options.dryRun && !options.yes && (!io.stdin.isTTY || output.isJson))
    throw new CliError(`${infinitive} needs confirmation.`, 'Pass --yes, or pass --dry-run to only count the deliveries.')
  const { flowpost } = await connect()
  const filter = await readBulkFilter(flowpost, options, options.since)
  const spread = options.spreadMs === undefined ? undefined : Math.round(options.spreadMs / 1_000)
  const body = { action: kind, filter, spread_seconds: spread }
  const preview = await output.withProgress('Counting', () =>
    flowpost.bulkActions.create({ ...body, dry_run: true }, { signal: io.signal }),
  )
  printPreview(output, preview)
  const isEmpty = preview.matched === 0 && preview.is_complete
  if (options.dryRun || isEmpty) {
    output.printJson({ preview, action: null })
    return
  }
  if (!options.yes && !(await io.prompts.confirm(`${infinitive} these deliveries?`)))
    throw new CliError(`Not confirmed. Nothing was ${past}.`)
  const created = await output.withProgress('Starting', () =>
    flowpost.bulkActions.create({ ...body, dry_run: false }, { signal: io.signal }),
  )
  const action = await followAction(flowpost, created, context)
  output.print(
    `${toSafeLine(action.id)} is ${toSafeLine(action.status)}: ${countDeliveries(action.done)} ${past}, ${formatCount(action.skipped)} skipped.`,
  )
  output.printJson({ preview, action })
  if (action.status !== 'done') setExitCode(1)
}
