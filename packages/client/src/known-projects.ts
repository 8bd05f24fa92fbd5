import type { NotificationsOperations } from './generated/operations.ts'
import type {
  Notification,
  NotificationBatchItem,
  NotificationBatchResult,
  NotificationPreview,
  NotificationSend,
  NotificationWithAttempts,
} from './generated/types.ts'
import type { CallOptions, IdempotentOptions } from './options.ts'
import type { Call, SendCall } from './results.ts'
import type { SendMany, SendManyOptions, SendManyResult } from './send-many.ts'

/**
 * The keys of the projects and flows that your code may send to. This interface is empty until `flowpost types` writes the
 * file `flowpost.d.ts`, which extends it. From then on, code that sends to any other key does not compile.
 */
// biome-ignore lint/suspicious/noEmptyInterface: `flowpost.d.ts` adds a member for each project.
export interface KnownProjects {}

/** The key of a project. Without a `flowpost.d.ts`, this is any string. */
export type ProjectKey = keyof KnownProjects extends never ? string : keyof KnownProjects & string

/**
 * The key of a flow in `Project`. If `Project` is a union, the key of a flow in any of its projects. Any string if the
 * message names no project, or if there is no `flowpost.d.ts`.
 */
export type FlowKey<Project extends ProjectKey = ProjectKey> = [Project] extends [never]
  ? string
  : Project extends keyof KnownProjects
    ? keyof KnownProjects[Project] & string
    : string

/** The keys of the flows with `override_target: true` in a project, or in any project of a union. */
type OverridableFlow<Project> = Project extends keyof KnownProjects
  ? {
      [Flow in keyof KnownProjects[Project]]: KnownProjects[Project][Flow] extends { readonly override_target: true } ? Flow : never
    }[keyof KnownProjects[Project]]
  : never

/** The projects in a union that have no flow with `override_target: true`. */
type ProjectWithoutTarget<Project> = Project extends unknown ? ([OverridableFlow<Project>] extends [never] ? Project : never) : never

/**
 * The type of `target`: `string` if a target is allowed. Otherwise, a string literal type that states the reason. The
 * compiler prints the literal in its error.
 */
type TargetFor<Project extends string, Flow extends string> = [Project] extends [never]
  ? string
  : [Flow] extends [never]
    ? [ProjectWithoutTarget<Project>] extends [never]
      ? string
      : `No flow of the project ${ProjectWithoutTarget<Project>} allows a target: override_target is false.`
    : [Flow] extends [OverridableFlow<Project>]
      ? string
      : `The flow ${Exclude<Flow, OverridableFlow<Project>>} allows no target: its override_target is false.`

/**
 * A message to send. If it names its project by key, `flowpost.d.ts` must declare that key and the key of the flow, if
 * any. Ids are not restricted.
 */
export interface KnownSend<Project extends string, Flow extends string> extends Omit<NotificationSend, 'project' | 'flow' | 'target'> {
  /** The key of the project, instead of `project_id`. */
  project?: Project | undefined
  /**
   * The key of a flow in the project, instead of `flow_id`. Without `flow` and `flow_id`, all active flows of the
   * project are triggered.
   */
  flow?: Flow | undefined
  /**
   * Overrides the flows' own targets. Contains up to 100 entries of the form `[<source_type>:]<address>`, separated by
   * `;`. Allowed only for flows with `override_target: true`.
   */
  target?: TargetFor<Project, Flow> | undefined
}

type IdempotencyKey = Pick<NotificationBatchItem, 'idempotency_key'>

type ItemOf<Project extends ProjectKey> = Project extends ProjectKey
  ? (KnownSend<Project, FlowKey<Project>> | KnownSend<Project, OverridableFlow<Project> & string>) & { project: Project }
  : never

/**
 * One notification in a batch. If it names its project by key, `flowpost.d.ts` must declare that key and the key of the
 * flow, if any. Ids are not restricted.
 */
export type KnownBatchItem = (KnownSend<never, string> | ItemOf<ProjectKey>) & IdempotencyKey

interface KnownMethods {
  send: <Project extends ProjectKey = never, Flow extends FlowKey<Project> = never>(
    body: KnownSend<Project, Flow>,
    options?: IdempotentOptions,
  ) => SendCall<Notification, NotificationWithAttempts>
  preview: <Project extends ProjectKey = never, Flow extends FlowKey<Project> = never>(
    body: KnownSend<Project, Flow>,
    options?: CallOptions,
  ) => Call<NotificationPreview>
  sendBatch: (body: { notifications: KnownBatchItem[] }, options?: IdempotentOptions) => Call<NotificationBatchResult>
  sendMany: <Item extends KnownBatchItem>(
    items: Iterable<Item> | AsyncIterable<Item>,
    options?: SendManyOptions,
  ) => AsyncGenerator<SendManyResult<Item>, void, undefined>
}

type Methods = NotificationsOperations & SendMany

// A mapped type, because it preserves the doc comments of `Methods`. `KnownMethods` has none.
type WithKnownNames = { [Name in keyof Methods]: Name extends keyof KnownMethods ? KnownMethods[Name] : Methods[Name] }

/** The operations on notifications. If `flowpost.d.ts` declares projects, other project and flow keys are not accepted. */
export type NotificationMethods = keyof KnownProjects extends never ? Methods : WithKnownNames
