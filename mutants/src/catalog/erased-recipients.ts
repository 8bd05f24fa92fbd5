import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

/** Bugs that keep data about an erased recipient, or remove data about other recipients. */
export const erasedRecipientMutants: readonly Mutant[] = [
  ...inFile('packages/domain/src/erasure/erase-response.ts', [
    {
      // According to docs/privacy.md, "the recipient is removed" from a stored response. The subject stays, because the message
      // also has other recipients.
      name: 'an erasure removes the subject from the stored response about a message to several recipients',
      find: 'deliveries.length > 0 && deliveries.every(',
      replace: 'deliveries.some(',
      killedBy: /^notifications\.send 202: keeps the subject/,
    },
  ]),
  ...inFile('packages/domain/src/erasure/redact-address.ts', [
    {
      // docs/privacy.md: the address is replaced in texts that "mention the address". A text with `jim.bob@example.com` does not
      // mention `bob@example.com`.
      name: 'an erasure replaces the end of a longer address of another person',
      find: `(?<!\${letter}\${anyOf('._+-')})`,
      replace: '',
      killedBy: /^erasures\.get 200: replaces the address in the text/,
    },
    {
      name: 'an erasure leaves the address in messages that are escaped for Discord',
      find: '\\\\\\\\{0,2}',
      replace: '',
      killedBy: /^erasures\.get 200: replaces the address where it is encoded/,
    },
    {
      name: 'an erasure does not replace an address that follows a percent-encoded character in a URL',
      find: '(?<!${escapedSeparators})',
      replace: '',
      killedBy: /^erasures\.get 200: replaces the address where it is encoded/,
    },
  ]),
  ...inFile('packages/testing/src/features/erase-from-log.ts', [
    {
      name: "in the mock, an erasure keeps the mail server's text in a receipt",
      find: '  if (delivery.receipt) delivery.receipt = withoutTexts(delivery.receipt)\n',
      replace: '',
      killedBy: /^deliveries\.recordReceipt 200: stores no text/,
    },
    {
      // According to docs/privacy.md, "responses of providers" are deleted.
      name: "in the mock, an erasure keeps the provider's text in the failure of a delivery",
      find: '    if (delivery.failure) delivery.failure = eraseFailureText(delivery.failure)\n',
      replace: '',
      killedBy: /^erasures\.get 200: removes the provider's text/,
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
