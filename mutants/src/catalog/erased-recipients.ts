import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

/** Bugs that keep data about an erased recipient, or remove data about other recipients. */
export const erasedRecipientMutants: readonly Mutant[] = [
  ...inFile('packages/domain/src/erasure/erase-response.ts', [
    {
      // docs/privacy.md: "the recipient is removed", but not the message to the others.
      name: 'an erasure removes the subject from the stored response about a message to several recipients',
      find: 'Array.isArray(deliveries) && deliveries.length > 0 && deliveries.every(',
      replace: 'Array.isArray(deliveries) && deliveries.some(',
      killedBy: /^notifications\.send 202: replays the subject/,
    },
  ]),
  ...inFile('packages/domain/src/erasure/redact-address.ts', [
    {
      // docs/privacy.md: the address is replaced in texts that "mention the address". `jim.bob@example.com` is another one.
      name: 'an erasure replaces the end of a longer address of another person',
      find: '(?<![\\\\p{L}\\\\p{N}][._+\\\\-])',
      replace: '',
      killedBy: /^erasures\.get 200: replaces the address in the text/,
    },
  ]),
  ...inFile('packages/testing/src/features/erase-from-log.ts', [
    {
      name: "in the mock, an erasure keeps the mail server's text in a receipt",
      find: '  if (delivery.receipt) delivery.receipt = { ...delivery.receipt, detail: null }\n',
      replace: '',
      killedBy: /^deliveries\.recordReceipt 200: stores no text/,
    },
  ]),
  ...inFile('packages/testing/src/features/accept-notification.ts', [
    {
      // docs/privacy.md: "the address is replaced in its `reference` and `metadata`".
      name: 'in the mock, the reference of a message to a blocked recipient contains the erased address',
      find: 'reference: redact(body.reference ?? null),',
      replace: 'reference: body.reference ?? null,',
      killedBy: /^notifications\.send 202: stores neither the address/,
    },
  ]),
]
