/** What the reference says before the first operation. */
export const description = `Flowpost delivers notifications by email and chat. A user owns projects; a project holds flows, which say where
messages go and how they look; a notification triggers the flows of a project.

**Requests.** JSON in UTF-8. Unknown fields and query parameters are refused with 422, so that a typo is never silently
dropped. Lengths count Unicode code points. A string with U+0000 or a lone surrogate is 422 with the field code
\`invalid_text\`.

**Answers.** Times are RFC 3339 in UTC with milliseconds. An id of the wrong shape and one of another user both answer
404, as an unknown one does. Every answer carries \`X-Request-Id\`; one of up to 128 letters, digits and \`._:/+=@-\` in
the request is kept.

**Errors** are \`application/problem+json\` (RFC 9457). Programs switch on \`code\`; \`errors\` names every fault of the
input at once.

**Lists** take \`limit\` and \`cursor\` and answer with \`data\` and \`next_cursor\`, which is \`null\` on the last page.

**Conditional requests.** Settings carry a strong \`ETag\`: \`If-None-Match\` on a read answers 304, \`If-Match\` on a write
412 when the resource has changed.

**Safe retries.** POST operations with the header \`Idempotency-Key\` answer a repeated request as they did the first one,
for 24 hours, with \`Idempotency-Replayed: true\`. A request that failed with \`unavailable\`, or whose answer was lost, may have
been stored: repeating it with the same key is safe.

**Methods.** HEAD is served wherever GET is. OPTIONS answers 204 with \`Allow\`. Any other method that a path does not have
is 405 with \`Allow\` and the code \`method_not_allowed\`.`

/** What the groups of operations are called and about, by the key of their router. */
export const tags: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  projects: { name: 'Projects', description: 'Names under which a user keeps flows.' },
  flows: { name: 'Flows', description: 'Where the messages of a project go, and how they look.' },
  integrations: { name: 'Integrations', description: "A project's own credentials for delivery providers. Secrets are write-only." },
  providers: { name: 'Providers', description: 'The delivery providers that this deployment serves.' },
  apiKeys: { name: 'API keys', description: 'Credentials for programs, with scopes, expiry and, if wanted, one project only.' },
  notifications: { name: 'Notifications', description: 'Messages to send, and what has become of them.' },
}
