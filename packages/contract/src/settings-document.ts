import { z } from 'zod'
import { EventEndpoint, eventEndpointFields, maxEventEndpoints } from './event-endpoint-resources.ts'
import { projectExample } from './examples.ts'
import { FlowUpdate, SourceType } from './flows.ts'
import { IntegrationPut } from './integrations.ts'
import { Id, Key, OpenEnum } from './primitives.ts'
import { ProjectCreate } from './projects.ts'
import { SettingsConsequences } from './settings-consequences.ts'

/**
 * The maximum number of flows in a settings document. If a project has more flows with a key, its settings can be neither
 * exported nor applied.
 */
export const maxSettingsFlows = 1_000

/** The maximum number of integrations in a settings document. */
export const maxSettingsIntegrations = 100

/**
 * The maximum total size, in bytes, of a project's message templates. Flows without a key do not count. If the
 * templates are larger, the project's settings can be neither exported nor applied.
 */
export const maxSettingsTemplateBytes = 4 * 1_048_576

const { settings, secrets } = IntegrationPut.shape
const flowFields = FlowUpdate.shape

const flowExample = {
  key: 'ops-mail',
  name: 'Operations by email',
  active: true,
  source_type: 'smtp',
  target: 'ops@example.com',
  override_target: false,
  message_template: '{{message}}',
  message_template_type: 'text/plain',
}

/** The request body that applies a settings document. */
export const SettingsApply = z
  .strictObject({
    project: z
      .strictObject({
        key: Key.meta({
          description: 'The key of the project. If there is no project with this key, one is created.',
          examples: ['billing'],
        }),
        name: ProjectCreate.shape.name,
      })
      .meta({ description: 'The project.' }),
    flows: z
      .array(
        z.strictObject({
          key: Key.meta({
            description: 'The key of the flow, unique in the document. If there is no flow with this key, one is created.',
            examples: ['ops-mail'],
          }),
          ...flowFields,
        }),
      )
      .max(maxSettingsFlows)
      .meta({ description: 'The flows, up to 1,000. Flows without a key are not changed.' }),
    integrations: z
      .array(
        z.strictObject({
          source_type: SourceType,
          settings,
          secrets: secrets.meta({
            description: 'The secrets to set. An omitted secret keeps its value; `null` removes it.',
          }),
        }),
      )
      .max(maxSettingsIntegrations)
      .optional()
      .meta({ description: 'The integrations, one for each provider. If omitted, no integration is changed.' }),
    event_endpoints: z
      .array(
        z.strictObject({
          key: Key.meta({
            description: 'The key of the event endpoint, unique in the document. If there is no endpoint with this key, one is created.',
            examples: ['billing'],
          }),
          ...eventEndpointFields,
        }),
      )
      .max(maxEventEndpoints)
      .optional()
      .meta({
        description: 'The event endpoints, up to 20. Endpoints without a key are not changed. If omitted, no event endpoint is changed.',
      }),
    prune: z.boolean().default(false).meta({
      description:
        'Whether to delete flows, event endpoints and integrations that are not in the document. Flows and event endpoints without a key are never deleted. If the document omits `integrations` or `event_endpoints`, no resource of that kind is deleted.',
    }),
    dry_run: z.boolean().default(false).meta({ description: 'Whether to only return the changes, without making them.' }),
    consequences: z.boolean().default(false).meta({
      description: 'Whether to also return the effects that the changes would have had on recent notifications. Requires `dry_run`.',
    }),
  })
  .meta({
    id: 'SettingsApply',
    description: "A project's settings as a document.",
    examples: [{ project: { key: 'billing', name: 'Billing' }, flows: [flowExample] }],
  })

/** One change made by applying a settings document. */
export const SettingsChange = z
  .object({
    action: OpenEnum(['create', 'update', 'delete', 'none']).meta({
      description: 'The kind of change. There is one `update` for each changed field; `none` means that the resource does not change.',
    }),
    kind: OpenEnum(['project', 'flow', 'integration', 'event_endpoint']).meta({ description: 'The kind of resource.' }),
    key: z
      .string()
      .meta({ description: 'The key of the project, flow or event endpoint, or the provider of the integration.', examples: ['ops-mail'] }),
    id: z.string().nullable().meta({
      description: 'The id of the project, flow or event endpoint; `null` for integrations, and for resources that a dry run would create.',
    }),
    pointer: z
      .string()
      .optional()
      .meta({
        description: 'A JSON Pointer (RFC 6901) to the resource or field in the document. Absent for a deletion.',
        examples: ['/flows/0/target'],
      }),
    before: z
      .unknown()
      .meta({ description: 'The old value. Absent if there was none, if nothing changes, or if the value is a secret.' })
      .optional(),
    after: z
      .unknown()
      .meta({ description: 'The new value. Absent if there is none, if nothing changes, or if the value is a secret.' })
      .optional(),
    pending_deliveries: z.int().optional().meta({
      description: 'For the deletion of a flow: the number of its pending deliveries, which are canceled.',
    }),
    secret: z.string().optional().meta({
      description:
        'For the creation of an event endpoint: its signing secret, which is shown only once. If the request is repeated with the same `Idempotency-Key`, the response does not contain the secret. A dry run creates no secret.',
    }),
  })
  .meta({ id: 'SettingsChange', description: 'One change made by applying a settings document.' })

/** A warning about settings. It does not cause the request to fail. */
export const SettingsWarning = z
  .object({
    code: OpenEnum([
      'no_placeholder',
      'unknown_placeholder',
      'html_on_chat',
      'unescaped_message',
      'not_in_document',
      'flows_without_key',
      'event_endpoints_without_key',
    ]).meta({ description: 'A stable, machine-readable code for the kind of warning.' }),
    pointer: z.string().meta({
      description: 'A JSON Pointer (RFC 6901) to the part of the document that the warning is about.',
      examples: ['/flows/0/message_template'],
    }),
    message: z.string().meta({ description: 'Describes the warning.' }),
  })
  .meta({ id: 'SettingsWarning', description: 'A warning about settings. It does not cause the request to fail.' })

const digest = z.string().meta({ examples: ['Zm9vYmFyYmF6cXV4MTIzNA'] })
const warnings = z.array(SettingsWarning).meta({ description: 'Warnings about the settings; empty when there are none.' })

/** The result of applying a settings document. */
export const SettingsApplied = z
  .object({
    project_id: Id('project', 'The id of the project.').nullable().meta({
      description: 'The id of the project; `null` for a dry run that would create it.',
    }),
    digest: digest.meta({
      description:
        'The digest of the settings after the change, or of the current settings for a dry run. Send it as an entity tag in `If-Match` to apply a document only if the settings are unchanged. A dry run also returns a digest for a project that does not exist yet.',
    }),
    changes: z.array(SettingsChange).meta({
      description:
        'The changes, grouped by kind of resource: the project, flows, integrations, then event endpoints. Each group is in document order, with its deletions at the end.',
    }),
    warnings,
    consequences: SettingsConsequences.optional(),
  })
  .meta({ id: 'SettingsApplied', description: 'The result of applying a settings document.' })

/** A project's settings as a document. */
export const SettingsDocument = z
  .object({
    project: z
      .object({
        key: z.string().nullable().meta({ description: 'The key of the project; `null` if it has none.' }),
        name: z.string().meta({ description: 'The name of the project.' }),
      })
      .meta({ description: 'The project.' }),
    flows: z
      .array(
        z.object({
          key: z.string().meta({ description: 'The key of the flow.' }),
          ...flowFields,
          name: z.string().meta({ description: 'The name of the flow.' }),
          target: z.string().meta({ description: 'The default recipient.' }),
          message_template: z.string().meta({ description: 'The template of the message.' }),
        }),
      )
      .meta({ description: 'The flows that have a key, ordered by key.' }),
    integrations: z
      .array(z.object({ source_type: SourceType, settings }))
      .meta({ description: 'The integrations without their secrets, ordered by provider.' }),
    event_endpoints: z
      .array(
        z.object({
          key: z.string().meta({ description: 'The key of the event endpoint.' }),
          url: EventEndpoint.shape.url,
          events: EventEndpoint.shape.events,
          active: eventEndpointFields.active,
          description: EventEndpoint.shape.description,
        }),
      )
      .meta({ description: 'The event endpoints that have a key, without their secrets, ordered by key.' }),
  })
  .meta({ id: 'SettingsDocument', description: "A project's settings as a document." })

/** A project's exported settings. */
export const SettingsExport = z
  .object({
    project_id: Id('project', 'The id of the project.'),
    digest: digest.meta({ description: 'The digest of the document. It is also the `ETag`, which does not depend on `warnings`.' }),
    document: SettingsDocument,
    warnings,
  })
  .meta({
    id: 'SettingsExport',
    description: "A project's exported settings.",
    examples: [
      {
        project_id: projectExample.id,
        digest: 'Zm9vYmFyYmF6cXV4MTIzNA',
        document: { project: { key: 'billing', name: 'Billing' }, flows: [flowExample], integrations: [], event_endpoints: [] },
        warnings: [],
      },
    ],
  })
