import type { Command } from '@commander-js/extra-typings'
import { type EventListParams, type Flowpost, isFlowpostError } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import { createTimeReader } from '../input/read-time.ts'
import { findProjectId } from '../notifications/find-settings.ts'
import type { Output } from '../output/output.ts'
import { toSafeLine } from '../output/terminal-text.ts'

/** The types of stored events. */
export const eventTypes = [
  'notification.settled',
  'delivery.sent',
  'delivery.failed',
  'delivery.ambiguous',
  'delivery.canceled',
  'delivery.receipt',
  'flow.unhealthy',
  'flow.healthy',
] as const

/** The parsed options that filter the event feed and select where to start. */
export interface EventFilters {
  readonly project?: string | undefined
  readonly type?: (typeof eventTypes)[number] | undefined
  readonly since?: string | undefined
  readonly cursor?: string | undefined
  readonly cursorFile?: string | undefined
  readonly store?: true | undefined
}

/** Adds the options that filter the event feed and select where to start. */
export const addEventFilters = (command: Command, now: () => number) =>
  command
    .option('-p, --project <project>', 'only events of this project, by id, key or name')
    .addOption(command.createOption('--type <type>', 'only events of this type').choices(eventTypes))
    .option(
      '--since <time>',
      'only events that occurred since this time, such as 2026-11-23, or 1h for an hour ago',
      createTimeReader(now, -1),
    )
    .option('--cursor <cursor>', 'continue after this position, which is valid only with the same filters')
    .option('--cursor-file <file>', 'continue after the position in this file, and store each new position there')
    .option('--store', 'create an event endpoint if the project has no active one, so that its events are stored')

/** Creates the query for the event feed. Resolves the project's key or name to an id. */
export const readEventQuery = async (
  flowpost: Flowpost,
  { project, type }: EventFilters,
): Promise<Pick<EventListParams, 'project_id' | 'type'>> => ({
  project_id: project === undefined ? undefined : await findProjectId(flowpost, project),
  type,
})

const hasActiveEndpoint = async (flowpost: Flowpost, projectId: string, signal: AbortSignal): Promise<boolean> => {
  for await (const { active } of flowpost.eventEndpoints.list(projectId, { limit: 100 }, { signal })) if (active) return true
  return false
}

/**
 * Checks that a project has an active event endpoint, because a project without one stores no events. If the endpoint is
 * missing, prints a warning or, with `--store`, creates an endpoint without a URL.
 *
 * If no project is given, checks the user's only project. If the user has no project or several, checks nothing.
 *
 * @throws {CliError} When `--store` is set, no project is given, and the user has no project or several.
 */
export const requireStoredEvents = async (
  flowpost: Flowpost,
  projectId: string | undefined,
  { store, output, signal }: { readonly store: boolean; readonly output: Output; readonly signal: AbortSignal },
): Promise<void> => {
  try {
    const projects =
      projectId === undefined ? (await flowpost.projects.list({ limit: 2 }, { signal })).data.map(({ id }) => id) : [projectId]
    const [only] = projects
    if (only === undefined || projects.length > 1) {
      if (store) throw new CliError('--store needs a project. Name one with --project.')
      return
    }
    if (await hasActiveEndpoint(flowpost, only, signal)) return
    if (!store) {
      output.warn('The project has no active event endpoint, so it stores no events. Pass --store to create one without a URL.')
      return
    }
    const description = 'Created by the command `flowpost events`'
    const { id } = await flowpost.eventEndpoints.create(only, { url: null, events: [...eventTypes], description }, { signal })
    output.note(`Created the event endpoint ${toSafeLine(id)}. The project now stores events.`)
  } catch (error) {
    // This check needs the scope settings:read. Without `--store`, the check is skipped if this scope is missing, because the
    // event feed needs only notifications:read.
    if (store || !isFlowpostError(error) || error.code !== 'scope_missing') throw error
  }
}
