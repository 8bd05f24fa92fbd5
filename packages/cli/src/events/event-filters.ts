import type { Command } from '@commander-js/extra-typings'
import { type EventListParams, type Flowpost, isFlowpostError } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import { createTimeReader } from '../input/read-time.ts'
import { findProjectId } from '../notifications/find-settings.ts'
import type { Output } from '../output/output.ts'

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

/** The parsed filters of the feed, and the place to start. */
export interface EventFilters {
  readonly project?: string | undefined
  readonly type?: (typeof eventTypes)[number] | undefined
  readonly since?: string | undefined
  readonly cursor?: string | undefined
  readonly cursorFile?: string | undefined
  readonly store?: true | undefined
}

/** Adds the filters of the feed and the options that choose the place to start. */
export const addEventFilters = (command: Command, now: () => number) =>
  command
    .option('-p, --project <project>', 'of this project, by id, key or name')
    .addOption(command.createOption('--type <type>', 'of this type').choices(eventTypes))
    .option('--since <time>', 'that occurred at this time or later, such as 1h (ago)', createTimeReader(now, -1))
    .option('--cursor <cursor>', 'continue after this position; only with the same filters')
    .option('--cursor-file <file>', 'continue at the position in this file, and store each new position there')
    .option('--store', 'create an event endpoint, so that a project without one stores events')

/** Creates the query of the feed. Looks up the id of a project. */
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
 * Warns if no event can occur, because events are stored only for projects with an active event endpoint. With `--store`, creates an
 * endpoint that only stores events. Checks the given project, or the only one.
 *
 * @throws {CliError} With `--store`, when there are several projects and none is given.
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
      if (store) throw new CliError('Name the project that stores events with --project.')
      return
    }
    if (await hasActiveEndpoint(flowpost, only, signal)) return
    if (!store) {
      output.warn('The project has no active event endpoint, so it stores no events. Pass --store to create one without a URL.')
      return
    }
    const description = 'Created by flowpost events'
    const { id } = await flowpost.eventEndpoints.create(only, { url: null, events: [...eventTypes], description }, { signal })
    output.note(`Created ${id}, which stores the events of the project from now on.`)
  } catch (error) {
    // A key that reads only notifications can read the feed.
    if (store || !isFlowpostError(error) || error.code !== 'scope_missing') throw error
  }
}
