import type { Command } from '@commander-js/extra-typings'
import type { BulkActionCreate, Flowpost } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import { createTimeReader } from '../input/read-time.ts'
import { findFlowId, findProjectId } from './find-settings.ts'
import { failureKinds } from './log-filters.ts'

type BulkStatus = NonNullable<BulkActionCreate['filter']['status']>

/** The statuses of deliveries that each bulk action can select. */
const statuses = { retry: ['failed', 'ambiguous'], cancel: ['queued', 'retrying'] } as const satisfies Record<
  BulkActionCreate['action'],
  readonly BulkStatus[]
>

/** Adds the filters and the confirmation of a bulk action. */
export const addBulkOptions = (command: Command<[string | undefined]>, action: BulkActionCreate['action'], now: () => number) => {
  const readPast = createTimeReader(now, -1)
  const choices: readonly BulkStatus[] = statuses[action]
  return command
    .option('--since <time>', 'of notifications accepted at this time or later, such as 2h (ago) or 2026-11-23', readPast)
    .option('--until <time>', 'of notifications accepted before this time (default: now)', readPast)
    .option('-p, --project <project>', 'of this project, by id, key or name (default: the only project)')
    .option('-f, --flow <flow>', 'through this flow, by id, key or name')
    .option('--source-type <name>', 'through this provider, such as smtp')
    .addOption(command.createOption('--status <status>', 'with this status').choices(choices))
    .addOption(command.createOption('--failure-kind <kind>', 'with a failure of this kind').choices(failureKinds))
    .option('--failure-code <code>', 'with a failure with this code')
    .option('--dry-run', 'only show how many deliveries match')
    .option('-y, --yes', 'do not ask for confirmation')
}

/** The parsed filters of a bulk action. */
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
 * Rejects options of a bulk action together with a notification id.
 *
 * @throws {CliError} When there are any.
 */
export const requireNoOptions = (options: object): void => {
  if (Object.values(options).some((value) => value !== undefined))
    throw new CliError('The options select many deliveries. They cannot be combined with the id of a notification.')
}

/** Creates the filter of a request. Resolves the names of the project and the flow to their ids. */
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
