import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const server = 'apps/api/src/features'
const mock = 'packages/testing/src/features'

/** Bugs in receipts, and in the addresses at which providers report them. */
export const receiptMutants: readonly Mutant[] = [
  ...inFile('packages/domain/src/receipts/receipt.ts', [
    {
      name: 'a receipt replaces a more serious receipt',
      find: 'receiptStatuses.indexOf(other.status) - receiptStatuses.indexOf(one.status) ||',
      replace: '',
      killedBy: /^deliveries\.recordReceipt 200: keeps the more serious/,
    },
    {
      name: 'a later receipt of equal severity replaces the earlier one',
      find: 'compareText(one.at, other.at) ||',
      replace: 'compareText(other.at, one.at) ||',
      killedBy: /^deliveries\.recordReceipt 200: keeps the earliest/,
    },
    {
      name: 'a receipt can have a time in the future',
      find: 'atMs >= 0 && atMs <= now.getTime()',
      replace: 'atMs >= 0',
      killedBy: /^deliveries\.recordReceipt 200: uses the current time/,
    },
    {
      name: 'the detail of a receipt can have several lines',
      find: `.replace(/[\\p{Cc}\\s]+/gu, ' ')`,
      replace: '',
      killedBy: /^deliveries\.recordReceipt 200: reduces the detail/,
    },
  ]),
  ...inFile('packages/domain/src/delivery/simulated-recipients.ts', [
    {
      name: 'a simulated complaint has no receipt',
      find: 'attempt: () => ({ ...sent, receipt: simulatedComplaint })',
      replace: 'attempt: () => sent',
      killedBy: /^notifications\.get 200: simulates a complaint/,
    },
  ]),
  ...inFile(`${server}/receipts/receipt.routes.ts`, [
    {
      name: 'receipts can be recorded for deliveries of other users',
      find: 'delivery?.user_id === principal.userId &&',
      replace: '',
      killedBy: /^deliveries\.recordReceipt 404: returns not_found for another user's delivery/,
    },
    {
      name: 'receipts can be recorded for deliveries of other projects',
      find: '(principal.projectId ?? delivery.project_id) === delivery.project_id',
      replace: 'delivery.project_id !== undefined',
      killedBy: /^deliveries\.recordReceipt 404: returns not_found for an unknown delivery/,
    },
    {
      name: 'a test key can record a receipt for a live message',
      find: 'requireRecordingMode(principal, delivery)\n',
      replace: '',
      killedBy: /^deliveries\.recordReceipt 403: does not let a test key/,
    },
    {
      name: 'a receipt can precede the first attempt',
      find: '!canHaveReceipt({ attemptCount: delivery.attempt_count })',
      replace: '!canHaveReceipt({ attemptCount: 1 })',
      killedBy: /^deliveries\.recordReceipt 409: rejects a receipt/,
    },
  ]),
  ...inFile(`${server}/delivery/receipts/record-receipt.ts`, [
    {
      name: 'a simulated recipient is suppressed',
      find: 'if (captured || !isSuppressing(receipt)) return',
      replace: 'if (!isSuppressing(receipt)) return',
      killedBy: /^deliveries\.recordReceipt 200: adds no suppression for a captured/,
    },
  ]),
  ...inFile(`${server}/delivery/requeue-deliveries.ts`, [
    {
      name: 'a retry through the API does not remove the receipt',
      find: ' receipt = null,',
      replace: '',
      killedBy: /^notifications\.retry 202: removes the receipt/,
    },
  ]),
  ...inFile(`${server}/integrations/inbound-address.ts`, [
    {
      name: 'a provider that cannot report receipts gets an inbound address',
      find: 'if (!registry.get(source_type)?.readReport)',
      replace: 'if (!registry.get(source_type))',
      killedBy: /^integrations\.rotateInbound 409/,
    },
    {
      name: 'a rotation does not return how long the previous inbound address is valid',
      find: 'previous_inbound_expires_at = case when inbound_hash is not null then $5::timestamptz end',
      replace: 'previous_inbound_expires_at = case when inbound_hash is null then $5::timestamptz end',
      killedBy: /^integrations\.rotateInbound 200/,
    },
  ]),
  ...inFile(`${mock}/receipts.ts`, [
    {
      name: 'the mock replaces a receipt with a less serious one',
      find: 'const kept = mergeReceipts(delivery.receipt, ',
      replace: 'const kept = mergeReceipts(null, ',
      killedBy: /^deliveries\.recordReceipt 200: keeps the more serious/,
    },
    {
      name: 'the mock suppresses simulated recipients',
      find: 'isSuppressing(kept) && !delivery.captured',
      replace: 'isSuppressing(kept)',
      killedBy: /^deliveries\.recordReceipt 200: adds no suppression for a captured/,
    },
  ]),
  ...inFile(`${mock}/integrations.ts`, [
    {
      // The description of integrations.rotateInbound says: "The previous address stays valid for 24 hours".
      name: 'in the mock, the previous inbound address expires after 24 minutes',
      find: 'const previousInboundMs = 24 * 3_600_000',
      replace: 'const previousInboundMs = 24 * 60_000',
      killedBy: /^integrations\.rotateInbound 200: returns the inbound address once/,
    },
  ]),
  ...inFile(`${mock}/change-deliveries.ts`, [
    {
      name: 'in the mock, a retry through the API does not remove the receipt',
      find: 'delivery.receipt = null\n',
      replace: '',
      killedBy: /^notifications\.retry 202: removes the receipt/,
    },
  ]),
]
