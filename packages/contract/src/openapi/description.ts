/** The introduction of the API reference. */
export const description = `Flowpost delivers notifications by email, chat and webhook. A user owns projects. A project contains flows, which define
the provider, target and template of its messages. A notification triggers the flows of a project.

**Requests** are JSON in UTF-8. Unknown fields and query parameters are rejected with 422, so that a typo never goes
unnoticed. Lengths count Unicode code points. A string that contains U+0000 or a lone surrogate is rejected with 422 and
the field code \`invalid_text\`.

**Responses.** Timestamps are RFC 3339 in UTC with milliseconds. An unknown id, a malformed id and an id of another user
all return 404. Every response has an \`X-Request-Id\`. The server uses the value from the request if it has up to 128
letters, digits and \`._:/+=@-\`.

**Errors** are \`application/problem+json\` (RFC 9457). Programs should rely on \`code\`. \`errors\` lists all validation errors
of a request together.

**Lists** accept \`limit\` and \`cursor\`, and return \`data\` and \`next_cursor\`, which is \`null\` on the last page.

**Conditional requests.** Settings have a strong \`ETag\`. \`If-None-Match\` on a read returns 304 if the resource has not
changed; \`If-Match\` on a write returns 412 if it has.

**Safe retries.** POST operations accept the header \`Idempotency-Key\`. For 24 hours, a repeated request returns the
response of the first one, with \`Idempotency-Replayed: true\`. A request that failed with \`unavailable\`, or whose response
was lost, may have been applied. Retrying it with the same key is safe.

**Methods.** HEAD is supported wherever GET is. OPTIONS returns 204 with \`Allow\`. Any other method that a path does not
support returns 405 with \`Allow\` and the code \`method_not_allowed\`.`

/** The OpenAPI tags of the operation groups, by the key of their router. */
export const tags: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  projects: { name: 'Projects', description: 'Named groups of flows. Each project belongs to one user.' },
  flows: { name: 'Flows', description: 'The provider, target and template of the messages of a project.' },
  integrations: { name: 'Integrations', description: 'The credentials of a project for delivery providers. Secrets are write-only.' },
  providers: { name: 'Providers', description: 'The delivery providers of the deployment.' },
  apiKeys: { name: 'API keys', description: 'Credentials for programs, with scopes, an optional expiry and an optional project.' },
  notifications: { name: 'Notifications', description: 'Messages to send, and the status of their deliveries.' },
}
