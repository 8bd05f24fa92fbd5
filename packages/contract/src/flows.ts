import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { reads, writes } from './access.ts'
import { flowExample, flowFieldsExample } from './examples.ts'
import { conditionalRead, conditionalWrite, idempotentWrite } from './headers.ts'
import { Id, IdParam, OpenEnum, PageOf, pageQuery, Text, Timestamp } from './primitives.ts'

/** The delivery providers that every server has; a deployment may register more. */
export const builtInSourceTypes = ['mailgun', 'smtp', 'slack', 'discord', 'teams', 'webhook'] as const

/** The name of a delivery provider. */
export const SourceType = OpenEnum(builtInSourceTypes).meta({
  description:
    'The delivery provider. `mailgun` and `smtp` send email, `slack`, `discord` and `teams` send to chat, `webhook` calls a URL; a deployment may register more.',
  examples: ['smtp'],
})

/** The name of a delivery provider. */
export type SourceType = z.output<typeof SourceType>

/** How a template, or a message, is to be read. */
export const TextType = z.enum(['text/plain', 'text/html'])

const fields = {
  name: Text({ max: 255, normalize: true, refuse: 'control characters' }).meta({
    description: 'The name of the flow, which need not be unique. Trimmed and brought to NFC; 1 to 255 characters, no control characters.',
    examples: ['Operations by mail'],
  }),
  active: z.boolean().meta({ description: 'Whether the flow can be triggered.' }),
  source_type: SourceType,
  target: Text({ max: 1000 }).meta({
    description: 'The default receiver: an email address for an email provider, a channel identifier for a chat provider.',
    examples: ['ops@example.com'],
  }),
  override_target: z.boolean().meta({ description: 'Whether a notification request may override the target.' }),
  message_template: Text({ max: 100_000 }).meta({
    description:
      'The text of the message, 1 to 100,000 characters. Only `{{subject}}` and `{{message}}` are replaced, at most 32 of them; exactly `{{message}}` sends the message unmodified.',
    examples: ["Hi,\\n\\n'{{subject}}': {{message}}"],
  }),
  message_template_type: TextType.meta({
    description: 'How the template is written. `text/html` is rendered by email providers only; chat receives it as it is.',
  }),
}

/** Something that looks wrong in a flow but is allowed. */
export const FlowWarning = z
  .object({
    code: OpenEnum(['no_placeholder', 'unknown_placeholder', 'html_on_chat', 'unescaped_message']).meta({
      description: 'The stable code of the warning.',
    }),
    pointer: z.string().meta({ description: 'A JSON Pointer to the field.' }),
    message: z.string().meta({ description: 'What looks wrong and what was probably meant.' }),
  })
  .meta({ id: 'FlowWarning', description: 'Something that looks wrong in a flow but is allowed.' })

/** Whether the messages of a flow get through, as far as it is known. */
export const FlowHealth = z
  .object({
    status: OpenEnum(['unknown', 'healthy', 'unhealthy']).meta({
      description:
        '`healthy` after a message was sent or a check was good; `unhealthy` after a bad check, or when ten deliveries in a row have failed for good because of the credential or of the target; `unknown` until then, and when target or credential were changed. An unhealthy flow still sends.',
    }),
    code: z.string().nullable().meta({ description: 'The code of the failure, or of the finding, that made it unhealthy.' }),
    detail: z.string().nullable().meta({ description: 'The same in words, without secrets.' }),
    since: Timestamp.nullable().meta({ description: 'Since when the status is what it is.' }),
    checked_at: Timestamp.nullable().meta({ description: 'When the flow was last checked.' }),
  })
  .meta({
    id: 'FlowHealth',
    description:
      'Whether the messages of a flow get through, as far as it is known. `ETag` does not cover it: it changes by itself, and no update is refused for that.',
  })

/** A flow: where the messages of a project go, and how they look. */
export const Flow = z
  .object({
    id: Id('flow', 'The identifier of the flow.'),
    project_id: Id('project', 'The project that the flow belongs to.'),
    name: z.string(),
    active: z.boolean(),
    source_type: SourceType,
    target: z.string(),
    override_target: z.boolean(),
    message_template: z.string(),
    message_template_type: TextType,
    warnings: z.array(FlowWarning).meta({ description: 'What looks wrong but is allowed; empty when nothing does.' }),
    health: FlowHealth,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Flow', description: 'A flow: where the messages of a project go, and how they look.', examples: [flowExample] })

/** The body that creates a flow. */
export const FlowCreate = z
  .strictObject({
    ...fields,
    active: fields.active.default(true),
    override_target: fields.override_target.default(false),
    message_template: fields.message_template.default('{{message}}'),
    message_template_type: fields.message_template_type.default('text/plain'),
  })
  .meta({
    id: 'FlowCreate',
    description: 'The fields of a new flow.',
    examples: [
      {
        name: 'Operations by mail',
        source_type: 'smtp',
        target: 'ops@example.com',
        message_template: "Hi,\\n\\n'{{subject}}': {{message}}",
      },
    ],
  })

/** The body that replaces all fields of a flow. */
export const FlowUpdate = z.strictObject(fields).meta({
  id: 'FlowUpdate',
  description: 'All seven fields of a flow, so that a forgotten `active` cannot wake a paused flow.',
  examples: [flowFieldsExample],
})

/** The body that changes some fields of a flow. */
export const FlowPatch = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'FlowPatch', description: 'The fields of a flow to change.', examples: [{ active: false }] })

/** One finding of a check. */
export const FlowCheckFinding = z
  .object({
    name: z.string().meta({ description: 'What was looked at, as in `connect`, `authenticate` or `membership`.' }),
    ok: z.boolean(),
    code: z.string().meta({ description: "`ok`, the provider's own code, or one of Flowpost's." }),
    detail: z.string().meta({ description: 'What was found, in words, without secrets.' }),
  })
  .meta({ id: 'FlowCheckFinding', description: 'One finding of a check.' })

/** What a check of a flow has found. */
export const FlowCheck = z
  .object({ ok: z.boolean().meta({ description: 'Whether every finding is good.' }), checks: z.array(FlowCheckFinding) })
  .meta({ id: 'FlowCheck', description: 'What a check of a flow has found.' })

/** A page of flows. */
export const FlowPage = PageOf('FlowPage', Flow)

const projectParams = z.object({ project_id: IdParam('project', 'The identifier of the project.') })
const flowParams = projectParams.extend({ flow_id: IdParam('flow', 'The identifier of the flow.') })

const c = initContract()

const createAccess = writes('settings:write', ['not_found', ...idempotentWrite.problems])
const listAccess = reads('settings:read', ['not_found', 'invalid_cursor'])
const getAccess = reads('settings:read', ['not_found'])
const updateAccess = writes('settings:write', ['not_found', 'etag_mismatch'])
const checkAccess = reads('settings:write', ['not_found'])
const deleteAccess = reads('settings:write', ['not_found', 'etag_mismatch'])

/** The operations on flows. */
export const flows = c.router(
  {
    create: {
      method: 'POST',
      path: '/v1/settings/projects/:project_id/flows',
      summary: 'Create a flow',
      description: 'Adds a flow to a project. The target is checked for the form that its provider wants; nothing is sent.',
      pathParams: projectParams,
      headers: idempotentWrite.headers,
      body: FlowCreate,
      responses: { 201: Flow, ...createAccess.responses },
      metadata: { ...createAccess.metadata, idempotent: true },
    },
    list: {
      method: 'GET',
      path: '/v1/settings/projects/:project_id/flows',
      summary: 'List flows',
      description: 'Lists the flows of a project, oldest first.',
      pathParams: projectParams,
      query: z.strictObject(pageQuery),
      responses: { 200: FlowPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
    get: {
      method: 'GET',
      path: '/v1/settings/projects/:project_id/flows/:flow_id',
      summary: 'Get a flow',
      description: 'Reads one flow.',
      pathParams: flowParams,
      query: z.strictObject({}),
      headers: conditionalRead,
      responses: { 200: Flow, 304: c.noBody(), ...getAccess.responses },
      metadata: getAccess.metadata,
    },
    update: {
      method: 'PUT',
      path: '/v1/settings/projects/:project_id/flows/:flow_id',
      summary: 'Update a flow',
      description: 'Replaces all seven fields. What is queued already is sent as it was accepted.',
      pathParams: flowParams,
      headers: conditionalWrite,
      body: FlowUpdate,
      responses: { 200: Flow, ...updateAccess.responses },
      metadata: updateAccess.metadata,
    },
    patch: {
      method: 'PATCH',
      path: '/v1/settings/projects/:project_id/flows/:flow_id',
      summary: 'Change a flow',
      description: 'Changes the given fields and leaves the others.',
      pathParams: flowParams,
      headers: conditionalWrite,
      body: FlowPatch,
      responses: { 200: Flow, ...updateAccess.responses },
      metadata: updateAccess.metadata,
    },
    delete: {
      method: 'DELETE',
      path: '/v1/settings/projects/:project_id/flows/:flow_id',
      summary: 'Delete a flow',
      description: 'Deletes a flow and cancels what is queued or waiting to be retried for it.',
      pathParams: flowParams,
      query: z.strictObject({}),
      headers: conditionalWrite,
      responses: { 204: c.noBody(), ...deleteAccess.responses },
      metadata: deleteAccess.metadata,
    },
    check: {
      method: 'POST',
      path: '/v1/settings/projects/:project_id/flows/:flow_id/check',
      summary: 'Check a flow',
      description:
        'Asks the provider whether the credential works and the target can be reached, and notes the result as the health of the flow. Sends nothing.',
      pathParams: flowParams,
      query: z.strictObject({}),
      body: c.noBody(),
      responses: { 200: FlowCheck, ...checkAccess.responses },
      metadata: checkAccess.metadata,
    },
  },
  { strictStatusCodes: true },
)
