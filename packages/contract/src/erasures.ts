import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { declareRead, declareWrite } from './access.ts'
import { idempotentWrite } from './headers.ts'
import { Id, IdParam, OpenEnum, Text, Timestamp, TimestampField } from './primitives.ts'

/** The record of a recipient's erasure. It remains as proof after the data is gone. */
export const Erasure = z
  .object({
    id: Id('erasure', 'The id of the erasure.'),
    status: OpenEnum(['running', 'done']).meta({ description: 'Whether the erasure is in progress (`running`) or complete (`done`).' }),
    target: z.string().meta({
      description: '`erased:` followed by a digest of the recipient. This text replaces the address in the delivery log.',
    }),
    source_type: z.string().nullable().meta({
      description: 'The only provider whose deliveries are erased; `null` if the erasure covers every provider that accepts the address.',
    }),
    block: z.boolean().meta({
      description: 'Whether the recipient was also suppressed in every project that the user had when the erasure was requested.',
    }),
    deliveries: z.int().meta({ description: 'The number of deliveries that have been erased so far.' }),
    requested_by: Id('apiKey', 'The API key.')
      .nullable()
      .meta({ description: 'The API key that requested the erasure; `null` if it was requested with an access token.' }),
    created_at: TimestampField('When the erasure was requested.'),
    done_at: Timestamp.nullable().meta({ description: 'When the erasure was completed; `null` until then.' }),
  })
  .meta({ id: 'Erasure', description: 'The record of an erasure. It remains as proof and does not contain the address.' })

/** The request body that erases a recipient. */
export const ErasureCreate = z
  .strictObject({
    target: Text({ max: 2_000 }).meta({
      description:
        'The recipient, as `[<source_type>:]<address>`. Without a source type, the deliveries of every provider that accepts the address are erased. With a source type, deliveries to the address through other providers keep their target and their captured messages. Email addresses are compared without regard to case.',
      examples: ['ops@example.com'],
    }),
    block: z.boolean().default(false).meta({
      description: 'Whether to suppress the recipient in every project that the user has now, so that nothing is sent to it again.',
    }),
  })
  .meta({ id: 'ErasureCreate', description: 'The recipient to erase.', examples: [{ target: 'ops@example.com', block: true }] })

const erasureParams = z.object({ erasure_id: IdParam('erasure', 'The id of the erasure.') })

const c = initContract()

const createAccess = declareWrite('settings:write', [...idempotentWrite.problems])
const getAccess = declareRead('settings:read', ['not_found'])

/** The erasure operations. */
export const erasures = c.router(
  {
    create: {
      method: 'POST',
      path: '/v1/erasures',
      summary: 'Erase a recipient',
      description:
        "Removes a recipient from the user's delivery log in the background. The recipient's message bodies, captured messages and provider responses are deleted. The deliveries remain, with `erased:` followed by a digest as the target, so that counts stay correct. Deliveries that are queued or waiting for a retry are canceled, and deliveries that are being sent become `ambiguous`. The address is also replaced in events, stored responses to idempotent requests, messages to other recipients, references, metadata and the settings history. Captured messages that mention the address, and idempotency keys that contain it, are deleted. Settings are not changed. If a flow has the recipient as its default target, change the flow before you request the erasure: changing the flow later would record the address in the settings history again. Messages that are accepted more than a minute after the request are not erased.",
      headers: idempotentWrite.headers,
      body: ErasureCreate,
      responses: { 202: Erasure, ...createAccess.responses },
      metadata: { ...createAccess.metadata, idempotent: true, unbound: true },
    },
    get: {
      method: 'GET',
      path: '/v1/erasures/:erasure_id',
      summary: 'Get an erasure',
      description: 'Returns an erasure with its progress. Erasures are never deleted, because they prove that the data was removed.',
      pathParams: erasureParams,
      query: z.strictObject({}),
      responses: { 200: Erasure, ...getAccess.responses },
      metadata: { ...getAccess.metadata, unbound: true },
    },
  },
  { strictStatusCodes: true },
)
