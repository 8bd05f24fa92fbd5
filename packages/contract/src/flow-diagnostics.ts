import { z } from 'zod'
import { OpenEnum, Timestamp } from './primitives.ts'

/** A probable mistake in a flow. The flow is accepted anyway. */
export const FlowWarning = z
  .object({
    code: OpenEnum(['no_placeholder', 'unknown_placeholder', 'html_on_chat', 'unescaped_message']).meta({
      description: 'A stable, machine-readable code for the kind of mistake.',
    }),
    pointer: z.string().meta({ description: 'A JSON Pointer (RFC 6901) to the field in the flow.' }),
    message: z.string().meta({ description: 'Describes the probable mistake and how to fix it.' }),
  })
  .meta({ id: 'FlowWarning', description: 'A probable mistake in a flow. The flow is accepted anyway.' })

/** The health of a flow: whether its messages are being delivered. */
export const FlowHealth = z
  .object({
    status: OpenEnum(['unknown', 'healthy', 'unhealthy']).meta({
      description:
        '`healthy` after a message is sent or a check passes. `unhealthy` after a check fails, or after ten consecutive deliveries fail permanently because of the credential or the target. `unknown` for a new flow, and again after its provider, target or credential changes. An unhealthy flow still sends messages.',
    }),
    code: z.string().nullable().meta({
      description:
        'The code of the latest failure or check result that made the flow unhealthy; `null` while `status` is `healthy` or `unknown`.',
    }),
    detail: z.string().nullable().meta({ description: 'Explains `code`; `null` when `code` is `null`. Never contains secrets.' }),
    since: Timestamp.nullable().meta({ description: 'When `status` last changed; `null` while `status` is `unknown`.' }),
    checked_at: Timestamp.nullable().meta({
      description: 'When the flow was last checked; `null` if it has not been checked with its current provider and target.',
    }),
  })
  .meta({
    id: 'FlowHealth',
    description:
      "The health of a flow: whether its messages are being delivered. The flow's `ETag` does not depend on its health, so a health change never makes an update fail with 412.",
  })

/** The result of one step of a flow check. */
export const FlowCheckFinding = z
  .object({
    name: z.string().meta({ description: 'The name of the step, such as `connect`, `authenticate` or `membership`.' }),
    ok: z.boolean().meta({ description: 'Whether the step passed.' }),
    code: z.string().meta({
      description:
        "`ok` if the step passed, or `not_tried` if it was not tested and counts as passed. Otherwise, the provider's error code or a code that Flowpost defines.",
    }),
    detail: z.string().meta({ description: 'Explains the result of the step. Never contains secrets.' }),
  })
  .meta({ id: 'FlowCheckFinding', description: 'The result of one step of a flow check.' })

/** The result of a flow check. */
export const FlowCheck = z
  .object({
    ok: z.boolean().meta({ description: 'Whether every step passed.' }),
    checks: z.array(FlowCheckFinding).meta({ description: 'The results of the steps, in order.' }),
  })
  .meta({ id: 'FlowCheck', description: 'The result of a flow check.' })
