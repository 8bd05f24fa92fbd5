import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { declareRead, declareWrite } from './access.ts'
import { failureKinds } from './deliveries.ts'
import { bulkActionExample } from './examples.ts'
import { idempotentWrite } from './headers.ts'
import { Id, IdParam, OpenEnum, PageOf, pageQuery, QueryInteger, Text, Time, Timestamp, TimestampField, waitLimit } from './primitives.ts'

/** The changes that a bulk action can make to deliveries. */
const bulkActionKinds = ['retry', 'cancel'] as const

/** The statuses of a bulk action. */
const bulkActionStatuses = ['running', 'done', 'stopped'] as const

/** The delivery statuses that the filter of each bulk action accepts. */
export const bulkActionSelects = { retry: ['failed', 'ambiguous'], cancel: ['queued', 'retrying'] } as const

/** The maximum value of `spread_seconds`: one day. */
const maxSpreadSeconds = 86_400

const time = Time()

const BulkActionFilter = z
  .strictObject({
    project_id: IdParam('project', 'The project of the deliveries.'),
    created_after: time.meta({
      description: 'Selects deliveries whose notifications were accepted at this time or later.',
      examples: ['2026-11-21T09:00:00Z'],
    }),
    created_before: time
      .meta({
        description:
          'Selects deliveries whose notifications were accepted before this time. Default: the time at which the action is created.',
        examples: ['2026-11-21T10:30:00Z'],
      })
      .optional(),
    flow_id: IdParam('flow', 'Selects only deliveries through this flow, which must belong to the project.').optional(),
    source_type: Text({ max: 255 })
      .meta({ description: 'Selects only deliveries through this provider.', examples: ['smtp'] })
      .optional(),
    status: z
      .enum([...bulkActionSelects.retry, ...bulkActionSelects.cancel])
      .meta({
        description:
          'Selects only deliveries with this status: `failed` or `ambiguous` for `retry`, `queued` or `retrying` for `cancel`. Default: every status that the action can change. Without `status`, `cancel` also selects deliveries that are being sent. It does not cancel them, but counts them as skipped.',
      })
      .optional(),
    failure_kind: z.enum(failureKinds).meta({ description: 'Selects only deliveries whose `failure` has this kind.' }).optional(),
    failure_code: Text({ max: 255 })
      .meta({ description: 'Selects only deliveries whose `failure` has this code.', examples: ['rate_limited'] })
      .optional(),
  })
  .meta({ id: 'BulkActionFilter', description: 'The deliveries that a bulk action selects. A delivery must match all filters.' })

/** The request body that creates a bulk action. */
export const BulkActionCreate = z
  .strictObject({
    action: z.enum(bulkActionKinds).meta({
      description:
        'The change to each selected delivery: `retry` queues a failed or ambiguous delivery again with a new retry budget, and `cancel` cancels a delivery that is queued or waiting for a retry.',
    }),
    filter: BulkActionFilter,
    spread_seconds: z
      .int()
      .min(0)
      .max(maxSpreadSeconds)
      .meta({
        description:
          'Spreads the retried deliveries evenly over this many seconds, 0 to 86,400, starting when the action is created. Default: 0, which retries them as fast as the providers accept them. Has no effect on `cancel`.',
      })
      .optional(),
    dry_run: z
      .boolean()
      .meta({ description: 'Whether to only count the selected deliveries, without changing them. Default: `false`.' })
      .optional(),
  })
  .meta({
    id: 'BulkActionCreate',
    description: 'The fields of a new bulk action.',
    examples: [
      {
        action: 'retry',
        filter: { project_id: bulkActionExample.filter.project_id, created_after: '2026-11-21T09:00:00Z', failure_code: 'rate_limited' },
        spread_seconds: 600,
      },
    ],
  })

const applied = {
  project_id: Id('project', 'The project of the deliveries.'),
  created_after: TimestampField('The time at or after which the notifications were accepted.'),
  created_before: Timestamp.nullable().meta({
    description: 'The notifications were accepted before this time. `null` means the time at which the action was created.',
  }),
  flow_id: Id('flow', 'The flow of the deliveries.').nullable().meta({ description: 'The flow of the deliveries; `null` for all flows.' }),
  source_type: z.string().nullable().meta({ description: 'The provider of the deliveries; `null` for all providers.' }),
  status: OpenEnum([...bulkActionSelects.retry, ...bulkActionSelects.cancel])
    .nullable()
    .meta({ description: 'The status of the deliveries; `null` for every status that the action can change.' }),
  failure_kind: OpenEnum(failureKinds).nullable().meta({ description: 'The kind of the failures; `null` for all kinds.' }),
  failure_code: z.string().nullable().meta({ description: 'The code of the failures; `null` for all codes.' }),
}

const AppliedBulkActionFilter = z
  .object(applied)
  .meta({ id: 'AppliedBulkActionFilter', description: 'The deliveries that the bulk action selects.' })

/** A retry or cancellation of many deliveries, and its progress. */
export const BulkAction = z
  .object({
    id: Id('bulkAction', 'The id of the bulk action.'),
    action: OpenEnum(bulkActionKinds).meta({ description: 'The change to each selected delivery.' }),
    status: OpenEnum(bulkActionStatuses).meta({
      description:
        'The status of the action. `done` and `stopped` are final. `done` does not mean that the retried messages have already been sent.',
    }),
    filter: AppliedBulkActionFilter,
    spread_seconds: z.int().meta({ description: 'The number of seconds over which retried deliveries are spread.' }),
    matched: z.int().meta({ description: 'The number of deliveries that have matched so far: the sum of `done` and `skipped`.' }),
    done: z.int().meta({ description: 'The number of deliveries that have been retried or canceled so far.' }),
    skipped: z.int().meta({
      description:
        'The number of deliveries that have matched so far but could not be changed. A retry skips a delivery if its flow was deleted, its message is no longer stored, or its notification has expired. If a test key created the action, a retry also skips the deliveries of live notifications. A cancellation skips deliveries that are being sent.',
    }),
    created_at: TimestampField('When the action was created.'),
    completed_at: Timestamp.nullable().meta({ description: 'When the action became `done` or `stopped`; `null` while it is running.' }),
  })
  .meta({ id: 'BulkAction', description: 'A retry or cancellation of many deliveries, and its progress.', examples: [bulkActionExample] })

/** Counts of the deliveries that a bulk action would select. */
export const BulkActionPreview = z
  .object({
    matched: z.int().meta({ description: 'The number of deliveries that match.' }),
    is_complete: z.boolean().meta({
      description:
        'Whether all notifications in the time range were examined. `false` means that there are too many of them, usually more than 100,000. In this case, `matched` and `counts` cover only the oldest ones.',
    }),
    counts: z
      .array(
        z.object({
          status: z.string().meta({ description: 'The status of the deliveries.' }),
          failure_code: z.string().nullable().meta({ description: 'The failure code of the deliveries; `null` if they have none.' }),
          count: z.int().meta({ description: 'The number of deliveries.' }),
        }),
      )
      .meta({
        description:
          'The number of matching deliveries for each combination of status and failure code, highest number first; at most 100 entries.',
      }),
  })
  .meta({ id: 'BulkActionPreview', description: 'Counts of the deliveries that a bulk action would select.' })

/** A page of bulk actions. */
export const BulkActionPage = PageOf('BulkActionPage', BulkAction)

const c = initContract()

const actionParams = z.object({ action_id: IdParam('bulkAction', 'The id of the bulk action.') })

const createAccess = declareWrite('notifications:send', ['not_found', ...idempotentWrite.problems])
const listAccess = declareRead('notifications:read', ['invalid_cursor'])
const getAccess = declareRead('notifications:read', ['not_found'])
const stopAccess = declareRead('notifications:send', ['not_found', ...idempotentWrite.problems])

/** The bulk action operations. */
export const bulkActions = c.router(
  {
    create: {
      method: 'POST',
      path: '/v1/bulk-actions',
      summary: 'Create a bulk action',
      description:
        "Retries or cancels all of a project's deliveries that match a filter. The action runs in the background. For each delivery, it follows the rules of `POST /v1/notifications/{notification_id}/retry` or `/cancel`. It changes each delivery at most once, and excludes notifications that are accepted after the action is created. New messages have priority over retried ones. The action continues if the credential that created it is revoked. A user can have 10 running actions; creating another returns 429 `rate_limited`. With `dry_run`, the response is 200 with the number of matching deliveries, and nothing changes.",
      headers: idempotentWrite.headers,
      body: BulkActionCreate,
      responses: { 200: BulkActionPreview, 202: BulkAction, ...createAccess.responses },
      metadata: { ...createAccess.metadata, idempotent: true },
    },
    list: {
      method: 'GET',
      path: '/v1/bulk-actions',
      summary: 'List bulk actions',
      description: "Returns the user's bulk actions, newest first. Completed actions have the same retention period as the delivery log.",
      query: z.strictObject(pageQuery),
      responses: { 200: BulkActionPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
    get: {
      method: 'GET',
      path: '/v1/bulk-actions/:action_id',
      summary: 'Get a bulk action',
      description: `Returns one bulk action with its progress. ${waitLimit} If the credential is revoked or expires during the wait, the response is 401.`,
      pathParams: actionParams,
      query: z.strictObject({
        wait: QueryInteger(1, 60).optional().meta({
          description: 'The maximum number of seconds, 1 to 60, to wait until the action is done or stopped.',
        }),
      }),
      responses: { 200: BulkAction, ...getAccess.responses },
      metadata: getAccess.metadata,
    },
    stop: {
      method: 'POST',
      path: '/v1/bulk-actions/:action_id/stop',
      summary: 'Stop a bulk action',
      description:
        'Stops a running bulk action. Deliveries that the action has already retried or canceled stay as they are. To cancel retried deliveries that are still queued, create a `cancel` action. Has no effect on an action that is done or stopped.',
      pathParams: actionParams,
      query: z.strictObject({}),
      headers: idempotentWrite.headers,
      body: c.noBody(),
      responses: { 200: BulkAction, ...stopAccess.responses },
      metadata: { ...stopAccess.metadata, idempotent: true },
    },
  },
  { strictStatusCodes: true },
)
