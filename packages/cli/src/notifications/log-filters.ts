import type { Command } from '@commander-js/extra-typings'
import type { Flowpost, NotificationListParams } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import { createTimeReader } from '../input/read-time.ts'
import { findFlowId, findProjectId } from './find-settings.ts'

const statuses = ['queued', 'sending', 'sent', 'partially_sent', 'failed', 'canceled'] as const
/** The kinds of failures of deliveries. */
export const failureKinds = ['target', 'credential', 'content', 'rate', 'provider', 'ambiguous', 'expired'] as const

/** Adds the filters of the log. */
export const addLogFilters = (command: Command<[string | undefined]>, now: () => number) => {
  const readPast = createTimeReader(now, -1)
  return command
    .option('-p, --project <project>', 'of this project, by id or name')
    .option('-f, --flow <flow>', 'with a delivery through this flow, by id, or by name with --project')
    .addOption(command.createOption('--status <status>', 'with this status').choices(statuses))
    .option('--reference <text>', 'with this reference')
    .option('-t, --target <target>', 'with a delivery to this recipient, such as ops@example.com')
    .option('--source-type <name>', 'with a delivery through this provider, such as smtp')
    .addOption(command.createOption('--failure-kind <kind>', 'with a failure of this kind').choices(failureKinds))
    .option('--failure-code <code>', 'with a failure with this code')
    .option('--since <time>', 'accepted at this time or later, such as 2h (ago) or 2026-11-23', readPast)
    .option('--until <time>', 'accepted before this time', readPast)
}

/** The parsed filters of the log. */
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

/** Creates the query of a request from the filters. Resolves the names of projects and flows to their ids. */
export const readLogQuery = async (flowpost: Flowpost, filters: LogFilters): Promise<NotificationListParams> => {
  const { project, flow, status, reference, target, sourceType, failureKind, failureCode, since, until } = filters
  if (flow !== undefined && !flow.startsWith('flw_') && project === undefined)
    throw new CliError('A flow that is given by name needs --project.')
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
