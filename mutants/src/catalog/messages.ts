import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

/** Server and mock bugs in the content, recipients and outcomes of messages. */
export const messageMutants: readonly Mutant[] = [
  ...inFile('packages/domain/src/rendering/template.ts', [
    {
      name: 'a dollar sign in a message is interpreted as a replacement pattern in the text alternative',
      find: 'text.replace(anyMark, (mark) => (mark === marks.subject ? subject : message))',
      replace: 'text.replaceAll(marks.subject, subject).replaceAll(marks.message, message)',
      killedBy: /^notifications\.preview 200: inserts dollar signs/,
    },
  ]),
  ...inFile('packages/domain/src/rendering/message-values.ts', [
    {
      name: 'a Windows line break becomes two line breaks in HTML',
      find: 'const lineBreak = /\\r\\n|\\r|\\n/g',
      replace: 'const lineBreak = /[\\r\\n]/g',
      killedBy: /^notifications\.preview 200: inserts dollar signs/,
    },
  ]),
  ...inFile('packages/domain/src/planning/plan-deliveries.ts', [
    {
      name: 'a forbidden override is reported as unroutable if another target is unroutable',
      find: "errors.some((error) => error.code === 'override_not_allowed')",
      replace: "errors.every((error) => error.code === 'override_not_allowed') && errors.length > 0",
      killedBy: /^notifications\.send 422: sends nothing when/,
    },
  ]),
  ...inFile('packages/domain/src/planning/schedule.ts', [
    {
      name: 'the UTC offset in send_at is ignored',
      find: 'const at = send_at === undefined ? nowMs : Date.parse(send_at)',
      replace: "const at = send_at === undefined ? nowMs : Date.parse(send_at.replace(/[+-]\\d\\d:\\d\\d$/, 'Z'))",
      killedBy: /^notifications\.send 202: accepts times with a UTC offset/,
    },
    {
      name: 'a message may expire at the time for which it is scheduled',
      find: 'else if (expiresAt <= at)',
      replace: 'else if (expiresAt < at)',
      killedBy: /^notifications\.send 422: rejects an invalid reference/,
    },
  ]),
  ...inFile('packages/domain/src/delivery/simulated-recipients.ts', [
    {
      // The README of @flowpost/testing: "An address may have a label, such as `bounce+1@flowpost.test`."
      name: 'a simulated recipient with a label is unknown',
      find: "local.replace(/\\+.*$/s, '')",
      replace: 'local',
      killedBy: /^notifications\.get 200: ignores a label/,
    },
  ]),
  ...inFile('packages/domain/src/receipts/receipt.ts', [
    {
      // docs/receipts.md: the code `5.2.2` does not suppress the recipient, because the cause is a full mailbox.
      name: 'a bounce because of a full mailbox suppresses the recipient',
      find: '2\\.(?:[23]|',
      replace: '2\\.(?:3|',
      killedBy: /^deliveries\.recordReceipt 200: suppresses the recipient/,
    },
    {
      // docs/receipts.md: the code `5.1.90` does not suppress the recipient, because the cause is the sending account's daily limit.
      name: 'a bounce because of the daily limit suppresses the recipient',
      find: '1\\.(?:[78]|90)',
      replace: '1\\.[78]',
      killedBy: /^deliveries\.recordReceipt 200: suppresses the recipient/,
    },
  ]),
  ...inFile('apps/api/src/features/notifications/store-notifications.ts', [
    {
      name: 'an explanation does not say that the request had a target',
      find: 'has_target: prepared.hasTarget || undefined,',
      replace: '',
      killedBy: /^notifications\.explanation 200: lists the flows skipped/,
    },
  ]),
  ...inFile('apps/api/src/features/delivery/completion-facts.ts', [
    {
      // docs/events.md: "The events of a delivery precede the event of its notification."
      name: 'the event of a notification precedes the events of its deliveries',
      find: '    ),\n  ]\n}',
      replace: '    ),\n  ].reverse()\n}',
      killedBy: /^events\.list 200: returns the events for failed/,
    },
  ]),
  ...inFile('packages/testing/src/features/change-deliveries.ts', [
    {
      // docs/events.md: "A retry of a notification leads to further events."
      name: 'in the mock, a notification that is retried is not reported as completed again',
      find: '  delivery.notification.isRecorded = false\n',
      replace: '',
      killedBy: /^events\.list 200: returns new events after a retry/,
    },
  ]),
  ...inFile('packages/testing/src/delivery/dispatcher.ts', [
    {
      name: 'in the mock, a sent delivery still has the failure of an earlier attempt',
      find: "    if (outcome.status === 'sent') delivery.failure = null\n    else delivery.failure =",
      replace: "    if (outcome.status !== 'sent') delivery.failure =",
      killedBy: /^notifications\.get 200: simulates two transient/,
    },
  ]),
  ...inFile('packages/domain/src/delivery/flow-health.ts', [
    {
      // The description of the status says: "`healthy` after a message is sent or a check passes."
      name: 'a sent message does not make a flow with unknown health healthy',
      find: "if (!failure) return toFlowTarget || before.failingKind !== 'target' ? afterSuccess(before, now) : before",
      replace: "if (!failure) return before.status === 'unhealthy' ? afterSuccess(before, now) : before",
      killedBy: /^notifications\.get 200: waits until the message is delivered/,
    },
  ]),
]
