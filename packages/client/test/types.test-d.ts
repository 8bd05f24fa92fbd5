import {
  type BulkAction,
  type BulkActionCreate,
  type BulkActionPreview,
  type CachedOptions,
  type Call,
  type CallOptions,
  type ClientErrorCode,
  createFlowpost,
  type ErrorCode,
  type Flow,
  type FlowCreate,
  type FlowGetParams,
  type FlowListParams,
  type FlowPatch,
  type FlowpostOptions,
  type FlowUpdate,
  type Integration,
  isFlowpostError,
  type NoDryRun,
  type Notification,
  type NotificationListParams,
  type NotificationWithAttempts,
  type Operations,
  type Page,
  type PageBody,
  type Project,
  type Provider,
  type UncachedOptions,
} from '../src/index.ts'
import type { Equal, Expect } from './type-equality.ts'

const flowpost = createFlowpost()

// Parameters and results of methods.
declare const newBulkAction: BulkActionCreate & NoDryRun
const [action, counted] = [flowpost.bulkActions.create(newBulkAction), flowpost.bulkActions.create({ ...newBulkAction, dry_run: true })]
export type BulkActionIsReturned = Expect<Equal<Awaited<typeof action>, BulkAction>>
export type DryRunReturnsCounts = Expect<Equal<Awaited<typeof counted>, BulkActionPreview>>
export type ListTakesParamsAndOptions = Expect<
  Equal<Operations['flows']['list'], (projectId: string, params?: FlowListParams, options?: CallOptions) => Page<Flow>>
>
export type AwaitedListIsItsFirstPage = Expect<Equal<Awaited<Page<Flow>>, PageBody<Flow>>>
export type DeleteReturnsVoid = Expect<Equal<ReturnType<Operations['projects']['delete']>, Call<void>>>
export type SendReturnsTheNotification = Expect<Equal<Awaited<ReturnType<Operations['notifications']['send']>>, Notification>>

export const items = async (): Promise<Project[]> => {
  const all: Project[] = []
  for await (const project of flowpost.projects.list()) all.push(project)
  return all
}

export const settled = async (): Promise<NotificationWithAttempts> =>
  flowpost.notifications.send({ project_id: '', subject: '', message: '' }).settled({ timeout: 1 })

// Only a read without an entity tag always resolves to the resource.
declare const mayHaveTag: { ifNoneMatch?: string }
declare const tagOrUndefined: { ifNoneMatch: string | undefined; timeout: number }
declare const cachedOptions: CachedOptions | undefined
declare const callOptions: CallOptions | undefined
export const unconditionalReads: (() => Promise<Flow>)[] = [
  () => flowpost.flows.get('', ''),
  () => flowpost.flows.get('', '', {}, {}),
  () => flowpost.flows.get('', '', {}, undefined),
  () => flowpost.flows.get('', '', {}, callOptions),
  () => flowpost.flows.get('', '', {}, { timeout: 1 }),
  () => flowpost.flows.get('', '', {}, { ifNoneMatch: undefined }),
]
const conditionalReads = [
  () => flowpost.flows.get('', '', {}, { ifNoneMatch: '"1"' }),
  () => flowpost.flows.get('', '', {}, mayHaveTag),
  () => flowpost.flows.get('', '', {}, { ...mayHaveTag, timeout: 1 }),
  () => flowpost.flows.get('', '', {}, tagOrUndefined),
  () => flowpost.flows.get('', '', {}, cachedOptions),
]
export type ConditionalReadsMayReturnNothing = Expect<Equal<(typeof conditionalReads)[number], () => Call<Flow | undefined>>>
export const misspelledOptions = [
  // @ts-expect-error A misspelled option.
  () => flowpost.flows.get('', '', {}, { ifNoneMatch: '"1"', timeuot: 1 }),
  // @ts-expect-error A wrong type.
  () => flowpost.flows.get('', '', {}, { ifNoneMatch: 1 }),
]
export type DerivedTypesAreThoseOfAnUnconditionalRead = [
  Expect<Equal<ReturnType<Operations['flows']['get']>, Call<Flow>>>,
  Expect<
    Equal<
      Parameters<Operations['flows']['get']>,
      Parameters<(projectId: string, flowId: string, params?: FlowGetParams, options?: UncachedOptions) => void>
    >
  >,
]

// Response enums are open, request enums are closed.
export type ResponsesAreOpen = Expect<Equal<Flow['message_template_type'], 'text/plain' | 'text/html' | (string & {})>>
export type RequestsAreClosed = Expect<Equal<FlowCreate['message_template_type'], 'text/plain' | 'text/html' | undefined>>
export type ProvidersAreOpenInRequests = Expect<
  Equal<FlowCreate['source_type'], 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})>
>
type SourceType = 'mailgun' | 'smtp' | 'slack' | 'discord' | 'teams' | 'webhook' | (string & {})
export type ResponsesListAllProviders = [
  Expect<Equal<Flow['source_type'], SourceType>>,
  Expect<Equal<Integration['source_type'], SourceType>>,
  Expect<Equal<Provider['source_type'], SourceType>>,
  Expect<Equal<NotificationWithAttempts['deliveries'][number]['source_type'], SourceType>>,
]
export type RequestsListAllProviders = [
  Expect<Equal<FlowUpdate['source_type'], SourceType>>,
  Expect<Equal<FlowPatch['source_type'], SourceType | undefined>>,
]
export type FiltersAreClosed = Expect<
  Equal<NotificationListParams['status'], 'queued' | 'sending' | 'sent' | 'partially_sent' | 'failed' | 'canceled' | undefined>
>

// An update function may spread the resource, but must not misspell a value or change the type of a field.
export const change = [
  () => flowpost.flows.update('', '', (flow) => ({ ...flow, active: false })),
  () => flowpost.flows.update('', '', async (flow) => ({ ...flow, message_template_type: 'text/html' })),
  // @ts-expect-error A misspelled value.
  () => flowpost.flows.update('', '', (flow) => ({ ...flow, message_template_type: 'text/htm' })),
  // @ts-expect-error A wrong type.
  () => flowpost.flows.update('', '', (flow) => ({ ...flow, active: 'no' })),
  // @ts-expect-error A full update needs all seven fields.
  () => flowpost.flows.update('', '', { active: false }),
  // @ts-expect-error A misspelled field.
  () => flowpost.flows.patch('', '', { activ: false }),
]

// Options exist only where the operation supports them.
export const options = [
  () => flowpost.projects.create({ name: '' }, { idempotencyKey: 'a' }),
  () => flowpost.projects.delete('', { ifMatch: '"1"' }),
  // @ts-expect-error Reads accept no idempotency key.
  () => flowpost.projects.get('', { idempotencyKey: 'a' }),
  // @ts-expect-error Creating accepts no entity tag.
  () => flowpost.projects.create({ name: '' }, { ifMatch: '"1"' }),
]

// Errors.
export const narrowed = (error: unknown): string | undefined => {
  if (isFlowpostError(error, 'flows.update')) {
    if (error.code === 'etag_mismatch' || error.code === 'timeout') return error.requestId
    // @ts-expect-error Updating a flow does not declare this code.
    if (error.code === 'queue_full') return undefined
  }
  if (isFlowpostError(error)) return error.code satisfies ErrorCode
  // @ts-expect-error Unknown operation.
  isFlowpostError(error, 'flows.destroy')
  return undefined
}
export type EveryClientCodeIsAnErrorCode = Expect<Equal<Extract<ErrorCode, ClientErrorCode>, ClientErrorCode>>

// Accepts any fetch and any line-based logger.
export const injected: FlowpostOptions = { fetch: globalThis.fetch, logger: console, apiKey: async () => 'token' }
