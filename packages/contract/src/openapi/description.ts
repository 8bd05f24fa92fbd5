/** The introduction of the API reference. */
export const description = `Flowpost delivers notifications by email, chat and webhook. A user owns projects, and a project contains flows. Each
flow defines a provider, a target and a template for the project's messages. A notification triggers the flows of a
project.

**Requests** are JSON in UTF-8. Unknown fields and query parameters are rejected with 422, so that typing errors never
go unnoticed. Lengths count Unicode code points. Names of projects, flows and API keys, and descriptions of event
endpoints, are trimmed and normalized to NFC before their length is checked. A string with U+0000 or a lone surrogate is
rejected with 422 and the field code \`invalid_text\`.

**Responses.** Timestamps are RFC 3339 in UTC with milliseconds. A request with an id that is unknown, is malformed or
belongs to another user returns 404. Every response has an \`X-Request-Id\`. If the client sends this header with up to
128 letters, digits and \`._:/+=@-\`, the response repeats the value.

**Errors** are \`application/problem+json\` (RFC 9457). Programs should rely on \`code\`, because \`title\`
and \`detail\` may be reworded. \`errors\` lists all validation errors of a request at once.

**Lists** accept \`limit\` and \`cursor\`, and return \`data\` and \`next_cursor\`. On the last page, \`next_cursor\`
is \`null\`.

**Conditional requests.** Projects, flows, integrations and event endpoints have a strong \`ETag\`. If the resource has not changed, a
read with \`If-None-Match\` returns 304. If it has changed, a write with \`If-Match\` returns 412.

**Safe retries.** All POST operations except the flow check and the preview accept the header \`Idempotency-Key\`. For
24 hours, repeating a successful request with the same key and body returns the response to the first request, with
\`Idempotency-Replayed: true\`. A request that failed with \`unavailable\`, or whose response was lost, may have been
applied. Retrying it with the same key is safe.

**Methods.** HEAD is supported wherever GET is. OPTIONS returns 204 with \`Allow\`. Any other method that a path does
not support returns 405 with \`Allow\` and the code \`method_not_allowed\`.`

/** The OpenAPI tag of each group of operations. The keys are the router keys in the contract. */
export const tags: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  projects: { name: 'Projects', description: 'Named groups of flows. A project belongs to one user.' },
  flows: { name: 'Flows', description: 'The provider, target and template with which a project sends messages.' },
  integrations: {
    name: 'Integrations',
    description: 'The settings and secrets with which a project uses delivery providers. Secrets are write-only.',
  },
  providers: { name: 'Providers', description: 'The delivery providers of the deployment.' },
  suppressions: {
    name: 'Suppressions',
    description: 'The recipients to whom a project sends nothing, such as addresses that bounced.',
  },
  apiKeys: {
    name: 'API keys',
    description: 'Credentials for programs. A key has scopes and, optionally, an expiry and a project that it is bound to.',
  },
  settings: {
    name: 'Settings as code',
    description: "A project's settings as one document that can be exported and applied, and the history of changes to the settings.",
  },
  notifications: { name: 'Notifications', description: 'Messages to send, and the status of their deliveries.' },
  deliveries: {
    name: 'Deliveries',
    description: 'The receipts of deliveries: reports about what happened to a message after its provider accepted it, such as a bounce.',
  },
  bulkActions: { name: 'Bulk actions', description: 'Retries and cancellations of many deliveries at once, for example after an outage.' },
  erasures: { name: 'Erasures', description: "The removal of a recipient's data from the delivery log, with a record as proof." },
  eventEndpoints: {
    name: 'Event endpoints',
    description: "Subscriptions to a project's events, which are sent to a URL as specified by Standard Webhooks.",
  },
  events: {
    name: 'Events',
    description: 'The feed of stored events: the outcomes of notifications and deliveries, and changes in the health of flows.',
  },
}
