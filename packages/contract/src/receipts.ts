import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { declareWrite } from './access.ts'
import { Delivery } from './deliveries.ts'
import { idempotentWrite } from './headers.ts'
import { IdParam, Text, Time } from './primitives.ts'

/** The request body that records a receipt. */
export const ReceiptCreate = z
  .strictObject({
    status: z.enum(['delivered', 'bounced', 'complained']).meta({
      description:
        "`delivered`: the recipient's service accepted the message. `bounced`: the service rejected the message permanently. `complained`: the recipient reported the message as spam.",
    }),
    at: Time().optional().meta({ description: 'When the reported event happened. A time in the future counts as now. Default: now.' }),
    code: Text({ max: 100, forbid: 'line breaks' }).optional().meta({
      description:
        "The provider's code for the event, 1 to 100 characters on one line. For a bounce, an enhanced status code (RFC 3463), such as `5.1.1`, decides whether the recipient is suppressed.",
    }),
    detail: Text({ max: 1000 }).optional().meta({ description: 'An explanation, 1 to 1,000 characters. Stored as one line.' }),
  })
  .meta({
    id: 'ReceiptCreate',
    description: 'A report of what happened to a message after the provider accepted it.',
    examples: [{ status: 'bounced', code: '5.1.1', detail: 'No such user' }],
  })

const c = initContract()

const recordAccess = declareWrite('notifications:send', ['not_found', 'delivery_not_attempted', ...idempotentWrite.problems])

/** The delivery operations. */
export const deliveries = c.router(
  {
    recordReceipt: {
      method: 'POST',
      path: '/v1/deliveries/:delivery_id/receipt',
      summary: 'Record a receipt',
      description:
        'Records a report about a message that the provider has accepted. Use this operation for providers whose reports Flowpost does not receive itself. Recording the same receipt again, or a less serious one than the current receipt, changes nothing. A receipt never changes the status of the delivery. A test key cannot record a receipt for a message that was sent with a live key (403 `scope_missing`).',
      pathParams: z.object({ delivery_id: IdParam('delivery', 'The id of the delivery.') }),
      headers: idempotentWrite.headers,
      body: ReceiptCreate,
      responses: { 200: Delivery, ...recordAccess.responses },
      metadata: { ...recordAccess.metadata, idempotent: true },
    },
  },
  { strictStatusCodes: true },
)
