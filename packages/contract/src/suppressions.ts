import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { declareRead, declareWrite } from './access.ts'
import { idempotentWrite } from './headers.ts'
import { Id, IdParam, OpenEnum, PageOf, pageQuery, Text, TimestampField } from './primitives.ts'

/** The reasons that a request can give for a suppression. */
const suppressionReasons = ['bounce', 'complaint', 'unsubscribe', 'manual'] as const

/** A recipient to whom a project sends nothing. */
export const Suppression = z
  .object({
    id: Id('suppression', 'The id of the suppression.'),
    target: z.string().meta({
      description: 'The canonical address of the recipient; `erased:` followed by a digest if the recipient was erased.',
      examples: ['ops@example.com'],
    }),
    source_type: z.string().nullable().meta({
      description: 'The provider that the suppression applies to; `null` if it applies to every provider that accepts the address.',
    }),
    reason: OpenEnum([...suppressionReasons, 'erasure']).meta({ description: 'Why the recipient is suppressed.' }),
    source: OpenEnum(['api', 'receipt', 'erasure']).meta({
      description: 'How the suppression was added: by a request to suppress the recipient (`api`), by a receipt, or by an erasure.',
    }),
    created_at: TimestampField('When the suppression was added.'),
  })
  .meta({ id: 'Suppression', description: 'A recipient to whom a project sends nothing.' })

/** The request body that adds a suppression. */
export const SuppressionCreate = z
  .strictObject({
    target: Text({ max: 2_000 }).meta({
      description:
        'The recipient, as `[<source_type>:]<address>`. Without a source type, the suppression applies to every provider that accepts the address. Email addresses are compared without regard to case.',
      examples: ['ops@example.com'],
    }),
    reason: z.enum(suppressionReasons).default('manual').meta({ description: 'Why the recipient is suppressed.' }),
  })
  .meta({ id: 'SuppressionCreate', description: 'The recipient to suppress.', examples: [{ target: 'ops@example.com', reason: 'bounce' }] })

/** A page of suppressions. */
export const SuppressionPage = PageOf('SuppressionPage', Suppression)

const projectParams = z.object({ project_id: IdParam('project', 'The id of the project.') })
const params = projectParams.extend({ suppression_id: IdParam('suppression', 'The id of the suppression.') })

const c = initContract()

const listAccess = declareRead('settings:read', ['not_found', 'invalid_cursor'])
const createAccess = declareWrite('settings:write', ['not_found', ...idempotentWrite.problems])
const deleteAccess = declareRead('settings:write', ['not_found'])

/** The suppression operations. */
export const suppressions = c.router(
  {
    create: {
      method: 'POST',
      path: '/v1/settings/projects/:project_id/suppressions',
      summary: 'Suppress a recipient',
      description:
        'Adds a recipient to the suppression list of a project. From then on, each delivery to the recipient is `failed` with the failure code `suppressed`, and nothing is sent. This includes deliveries that are already queued or waiting for a retry, but not an attempt in progress. If the recipient is already suppressed, nothing changes and the response is 200 with the existing suppression.',
      pathParams: projectParams,
      headers: idempotentWrite.headers,
      body: SuppressionCreate,
      responses: { 201: Suppression, 200: Suppression, ...createAccess.responses },
      metadata: { ...createAccess.metadata, idempotent: true },
    },
    list: {
      method: 'GET',
      path: '/v1/settings/projects/:project_id/suppressions',
      summary: 'List suppressions',
      description: 'Returns the suppression list of a project, oldest first.',
      pathParams: projectParams,
      query: z.strictObject({
        ...pageQuery,
        target: Text({ max: 2_000 })
          .meta({
            description:
              'Returns only the suppressions of this recipient: an address without the prefix `<source_type>:`, or `erased:` followed by a digest. Email addresses are compared without regard to case.',
            examples: ['ops@example.com'],
          })
          .optional(),
      }),
      responses: { 200: SuppressionPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
    delete: {
      method: 'DELETE',
      path: '/v1/settings/projects/:project_id/suppressions/:suppression_id',
      summary: 'Delete a suppression',
      description: 'Removes a recipient from the suppression list. Deliveries that failed because of the suppression can be retried.',
      pathParams: params,
      query: z.strictObject({}),
      responses: { 204: c.noBody(), ...deleteAccess.responses },
      metadata: deleteAccess.metadata,
    },
  },
  { strictStatusCodes: true },
)
