import type { Command } from '@commander-js/extra-typings'
import type { BulkActionCreate, Flowpost } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import { createTimeReader } from '../input/read-time.ts'
import { findFlowId, findProjectId } from './find-settings.ts'
import { failureKinds } from './log-filters.ts'

type BulkStatus = NonNullable<BulkActionCreate['filter']['status']>

/** The delivery statuses that the filter of each bulk action accepts. */
const statuses = { retry: ['failed', 'ambiguous'], cancel: ['queued', 'retrying'] } as const satisfies Record<
  BulkActionCreate['action'],
  readonly BulkStatus[]
>

/** Adds the options of a bulk action: filters, `--dry-run` and `--yes`. */
export const addBulkOptions = (command: Command<[string | undefined]>, action: BulkActionCreate['action'], now: () => number) => {
  const readPast = createTimeReader(now, -1)
  const choices: readonly BulkStatus[] = statuses[action]
  return command
    .option('--since <time>', 'only notifications accepted since this time, such as 2026-11-23, or 2h for two hours ago', readPast)
    .option('--until <time>', 'only notifications accepted before this time (default: now)', readPast)
    .option('-p, --project <project>', 'the project, by id, key or name (default: the only project)')
    .option('-f, --flow <flow>', 'only deliveries through this flow, by id, key or name')
    .option('--source-type <name>', 'only deliveries through this provider, such as smtp')
    .addOption(command.createOption('--status <status>', 'only deliveries with this status').choices(choices))
    .addOption(command.createOption('--failure-kind <kind>', 'only deliveries with a failure of this kind').choices(failureKinds))
    .option('--failure-code <code>', 'only deliveries with this failure code')
    .option('--dry-run', 'only show how many deliveries match')
    .option('-y, --yes', 'do not ask for confirmation')
}

/** A bulk action's parsed filters. */
export interface BulkFilters {
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly project?: string | undefined
  readonly flow?: string | undefined
  readonly sourceType?: string | undefined
  readonly status?: BulkStatus | undefined
  readonly failureKind?: (typeof failureKinds)[number] | undefined
  readonly failureCode?: string | undefined
}

/**
 * Rejects bulk action options, which cannot be combined with a notification id.
 *
 * @throws {CliError} When an option is set.
 */
export const requireNoOptions = (options: object): void => {
  if (Object.values(options).some((value) => value !== undefined))
    throw new CliError('Options such as --since and --yes cannot be combined with a notification id.')
}

/** Creates the filter for a bulk action request. Resolves the project's and the flow's key or name to an id. */
export const readBulkFilter = async (flowpost: Flowpost, filters: BulkFilters, since: string): Promise<BulkActionCreate['filter']> => {
  const { until, project, flow, sourceType, status, failureKind, failureCode } = filters
  const projectId = await findProjectId(flowpost, project)
  return {
    project_id: projectId,
    created_after: since,
    created_before: until,
    flow_id: flow === undefined ? undefined : await findFlowId(flowpost, projectId, flow),
    source_type: sourceType,
    status,
    failure_kind: failureKind,
    failure_code: failureCode,
  }
}
