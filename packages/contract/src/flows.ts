import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { declareRead, declareWrite } from './access.ts'
import { flowExample, flowFieldsExample } from './examples.ts'
import { FlowCheck, FlowHealth, FlowWarning } from './flow-diagnostics.ts'
import { conditionalRead, conditionalWrite, idempotentWrite } from './headers.ts'
import { Id, IdParam, OpenEnum, OptionalKey, PageOf, pageQuery, Text, Time, TimestampField } from './primitives.ts'

/** The names of the built-in delivery providers. A deployment can register more. */
export const builtInSourceTypes = ['mailgun', 'smtp', 'slack', 'discord', 'teams', 'webhook'] as const

/** The name of a delivery provider. */
export const SourceType = OpenEnum(builtInSourceTypes).meta({
  description:
    'The delivery provider. The built-in ones are `mailgun` and `smtp` for email, `slack`, `discord` and `teams` for chat, and `webhook` for HTTP requests. A deployment can register more.',
  examples: ['smtp'],
})

/** The name of a delivery provider. */
export type SourceType = z.output<typeof SourceType>

/** The format of a template or a message. */
export const TextType = z.enum(['text/plain', 'text/html'])

const fields = {
  name: Text({ max: 255, normalize: true, forbid: 'control characters' }).meta({
    description:
      'The name of the flow, 1 to 255 characters without control characters. Trimmed and normalized to Unicode NFC. Need not be unique.',
    examples: ['Operations by email'],
  }),
  active: z.boolean().meta({ description: 'Whether notifications trigger the flow. An inactive flow sends nothing.' }),
  source_type: SourceType,
  target: Text({ max: 1000 }).meta({
    description:
      'The default recipient. Email providers require an email address, and `slack` a channel id. `discord`, `teams` and `webhook` require the name of a URL that the integration stores.',
    examples: ['ops@example.com'],
  }),
  override_target: z.boolean().meta({ description: "Whether a notification's `target` can override the flow's own target." }),
  message_template: Text({ max: 100_000 }).meta({
    description:
      'The template of the message, 1 to 100,000 characters. The placeholders `{{subject}}` and `{{message}}` are replaced; they can occur up to 32 times in total. If the template contains only `{{message}}`, the message is sent unmodified.',
    examples: ["Hi,\\n\\n'{{subject}}': {{message}}"],
  }),
  message_template_type: TextType.meta({
    description: 'The format of the template. Only email providers render `text/html`; chat providers receive the markup as plain text.',
  }),
}

const key = OptionalKey(
  'A key that identifies the flow in files and code: 1 to 64 lower-case letters, digits and hyphens. Must be unique in the project. `null` removes the key.',
)

/** A flow: the provider, target and template with which a project sends messages. */
export const Flow = z
  .object({
    id: Id('flow', 'The id of the flow.'),
    project_id: Id('project', 'The id of the project that the flow belongs to.'),
    name: z.string().meta({ description: 'The name of the flow. It need not be unique.' }),
    key: z
      .string()
      .nullable()
      .meta({
        description: 'The key that identifies the flow in files and code; `null` if it has none. It is unique in the project.',
        examples: ['ops-mail'],
      }),
    active: fields.active,
    source_type: SourceType,
    target: z.string().meta({ description: 'The default recipient.' }),
    override_target: fields.override_target,
    message_template: z
      .string()
      .meta({ description: 'The template of the message, with the placeholders `{{subject}}` and `{{message}}`.' }),
    message_template_type: fields.message_template_type,
    warnings: z.array(FlowWarning).meta({ description: 'Probable mistakes in the flow; empty when there are none.' }),
    health: FlowHealth,
    created_at: TimestampField('When the flow was created.'),
    updated_at: TimestampField('When the flow was last changed.'),
  })
  .meta({
    id: 'Flow',
    description: 'A flow: the provider, target and template with which a project sends messages.',
    examples: [flowExample],
  })

/** The request body that creates a flow. */
export const FlowCreate = z
  .strictObject({
    ...fields,
    key,
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
        name: 'Operations by email',
        source_type: 'smtp',
        target: 'ops@example.com',
        message_template: "Hi,\\n\\n'{{subject}}': {{message}}",
      },
    ],
  })

/** The request body that replaces all changeable fields of a flow except its key. */
export const FlowUpdate = z.strictObject(fields).meta({
  id: 'FlowUpdate',
  description:
    'All changeable fields of a flow except its key, which stays as it is. Every field is required: if `active` had a default, omitting it could reactivate an inactive flow.',
  examples: [flowFieldsExample],
})

/** The request body that changes some fields of a flow. */
export const FlowPatch = z
  .strictObject({ ...fields, key })
  .partial()
  .meta({ id: 'FlowPatch', description: 'The fields of a flow to change. Omitted fields stay as they are.', examples: [{ active: false }] })

/** A page of flows. */
export const FlowPage = PageOf('FlowPage', Flow)

const projectParams = z.object({ project_id: IdParam('project', 'The id of the project.') })
const flowParams = projectParams.extend({ flow_id: IdParam('flow', 'The id of the flow.') })

const c = initContract()

const createAccess = declareWrite('settings:write', ['not_found', 'key_taken', ...idempotentWrite.problems])
const listAccess = declareRead('settings:read', ['not_found', 'invalid_cursor'])
const getAccess = declareRead('settings:read', ['not_found'])
const updateAccess = declareWrite('settings:write', ['not_found', 'etag_mismatch'])
const patchAccess = declareWrite('settings:write', ['not_found', 'key_taken', 'etag_mismatch'])
const checkAccess = declareRead('settings:write', ['not_found'])
const deleteAccess = declareRead('settings:write', ['not_found', 'etag_mismatch'])

/** The flow operations. */
export const flows = c.router(
  {
    create: {
      method: 'POST',
      path: '/v1/settings/projects/:project_id/flows',
      summary: 'Create a flow',
      description: 'Adds a flow to a project. The target must have the format that the provider requires. Nothing is sent.',
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
      description: 'Returns the flows of a project, oldest first.',
      pathParams: projectParams,
      query: z.strictObject(pageQuery),
      responses: { 200: FlowPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
    get: {
      method: 'GET',
      path: '/v1/settings/projects/:project_id/flows/:flow_id',
      summary: 'Get a flow',
      description:
        'Returns one flow. With `at`, returns the flow as it was at that moment, even if it has since been deleted. The health of a flow is not recorded, so its past status is always `unknown`.',
      pathParams: flowParams,
      query: z.strictObject({
        at: Time()
          .optional()
          .meta({
            description:
              'Returns the flow as it was at this moment, an RFC 3339 timestamp. The response is 404 if the flow did not exist at that moment. The response is 422 `validation_failed` if the moment is in the future or before the start of the recorded settings history. By default, the history goes back at most 400 days. If the moment is before the start, the error message states when the history starts.',
            examples: ['2026-11-21T09:30:00Z'],
          }),
      }),
      headers: conditionalRead,
      responses: { 200: Flow, 304: c.noBody(), ...getAccess.responses },
      metadata: getAccess.metadata,
    },
    update: {
      method: 'PUT',
      path: '/v1/settings/projects/:project_id/flows/:flow_id',
      summary: 'Update a flow',
      description:
        'Replaces all changeable fields of a flow except its key, which stays as it is. Messages that are already queued keep their target and content.',
      pathParams: flowParams,
      headers: conditionalWrite,
      body: FlowUpdate,
      responses: { 200: Flow, ...updateAccess.responses },
      metadata: updateAccess.metadata,
    },
    patch: {
      method: 'PATCH',
      path: '/v1/settings/projects/:project_id/flows/:flow_id',
      summary: 'Change some fields of a flow',
      description: 'Changes the given fields. Omitted fields stay as they are.',
      pathParams: flowParams,
      headers: conditionalWrite,
      body: FlowPatch,
      responses: { 200: Flow, ...patchAccess.responses },
      metadata: patchAccess.metadata,
    },
    delete: {
      method: 'DELETE',
      path: '/v1/settings/projects/:project_id/flows/:flow_id',
      summary: 'Delete a flow',
      description: 'Deletes a flow. Its deliveries that are queued or waiting for a retry are canceled.',
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
        'Asks the provider whether the credential works and the target can be reached. The result is also stored as the health of the flow. Sends no message.',
      pathParams: flowParams,
      query: z.strictObject({}),
      body: c.noBody(),
      responses: { 200: FlowCheck, ...checkAccess.responses },
      metadata: checkAccess.metadata,
    },
  },
  { strictStatusCodes: true },
)
