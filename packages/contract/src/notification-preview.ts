import { z } from 'zod'
import { SourceType } from './flows.ts'
import { Id, OpenEnum } from './primitives.ts'

/** The preview of a notification for one flow. */
export const PreviewedFlow = z
  .object({
    flow_id: Id('flow', 'The id of the flow.'),
    source_type: SourceType,
    outcome: z.enum(['matched', 'skipped']).meta({ description: 'Whether the notification would trigger the flow.' }),
    reason: OpenEnum(['inactive', 'not_targeted']).nullable().meta({
      description:
        'Why the flow would be skipped: it is inactive (`inactive`), or no entry of `target` matches it (`not_targeted`). `null` when `outcome` is `matched`.',
    }),
    targets: z.array(z.string()).meta({ description: 'The recipients; empty when the flow is skipped.' }),
    suppressed: z.array(z.string()).meta({
      description:
        "The entries of `targets` that are on the project's suppression list. Their deliveries would fail at once with the code `suppressed`.",
    }),
    captured: z.boolean().meta({ description: "Whether the message would be captured in the server's outbox instead of being sent." }),
    content: z
      .object({
        subject: z.string().meta({ description: 'The subject of the message, on a single line.' }),
        text: z.string().meta({ description: 'The text of the message, or the plain-text alternative of an HTML email.' }),
        html: z.string().nullable().meta({ description: 'The HTML of an email; `null` for other messages.' }),
        bytes: z.int().meta({ description: 'The total size of subject, text and HTML, in UTF-8 bytes.' }),
      })
      .nullable()
      .meta({ description: 'The rendered message; `null` when the flow is skipped.' }),
    faults: z
      .array(
        z.object({
          code: OpenEnum(['content_too_long', 'integration_missing']).meta({
            description: 'The problem code that a send request would return.',
          }),
          message: z.string().meta({ description: 'Describes the problem.' }),
        }),
      )
      .meta({
        description: 'The problems with this flow that would cause the whole notification to be rejected; empty when there are none.',
      }),
  })
  .meta({ id: 'PreviewedFlow', description: 'The preview of a notification for one flow.' })

/** The preview of a notification, with one entry for each flow. */
export const NotificationPreview = z
  .object({ flows: z.array(PreviewedFlow).meta({ description: "All of the project's flows, or only the named flow, ordered by id." }) })
  .meta({ id: 'NotificationPreview', description: 'The preview of a notification, with one entry for each flow.' })
