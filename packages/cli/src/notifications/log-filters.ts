import type { Command } from '@commander-js/extra-typings'
import type { Flowpost, NotificationListParams } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import { createTimeReader } from '../input/read-time.ts'
import { findFlowId, findProjectId } from './find-settings.ts'

const statuses = ['queued', 'sending', 'sent', 'partially_sent', 'failed', 'canceled'] as const
/** The kinds of delivery failures. */
export const failureKinds = ['target', 'credential', 'content', 'rate', 'provider', 'ambiguous', 'expired'] as const

/** Adds the options that filter the log. */
export const addLogFilters = (command: Command<[string | undefined]>, now: () => number) => {
  const readPast = createTimeReader(now, -1)
  return command
    .option('-p, --project <project>', 'only notifications of this project, by id, key or name')
    .option('-f, --flow <flow>', 'only notifications with a delivery through this flow, by id (with --project, also by key or name)')
    .addOption(command.createOption('--status <status>', 'only notifications with this status').choices(statuses))
    .option('--reference <text>', 'only notifications with this reference')
    .option('-t, --target <target>', 'only notifications with a delivery to this recipient, such as ops@example.com')
    .option('--source-type <name>', 'only notifications with a delivery through this provider, such as smtp')
    .addOption(command.createOption('--failure-kind <kind>', 'only notifications with a failure of this kind').choices(failureKinds))
    .option('--failure-code <code>', 'only notifications with this failure code')
    .option('--since <time>', 'only notifications accepted since this time, such as 2026-11-23, or 2h for two hours ago', readPast)
    .option('--until <time>', 'only notifications accepted before this time', readPast)
}

/** The parsed log filters. */
export interface LogFilters {
  readonly project?: string | undefined
  readonly flow?: string | undefined
  readonly status?: (typeof statuses)[number] | undefined
  readonly reference?: string | undefined
  readonly target?: string | undefined
  readonly sourceType?: string | undefined
  readonly failureKind?: (typeof failureKinds)[number] | undefined
  readonly failureCode?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Creates a list query from the filters. Resolves the project's and the flow's key or name to an id. */
export const readLogQuery = async (flowpost: Flowpost, filters: LogFilters): Promise<NotificationListParams> => {
  const { project, flow, status, reference, target, sourceType, failureKind, failureCode, since, until } = filters
  if (flow !== undefined && !flow.startsWith('flw_') && project === undefined)
    throw new CliError('With a key or name, --flow needs --project.')
  const projectId = project === undefined ? undefined : await findProjectId(flowpost, project)
  return {
    project_id: projectId,
    flow_id: flow === undefined ? undefined : await findFlowId(flowpost, projectId ?? '', flow),
    status,
    reference,
    target,
    source_type: sourceType,
    failure_kind: failureKind,
    failure_code: failureCode,
    created_after: since,
    created_before: until,
  }
}
