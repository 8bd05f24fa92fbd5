import { z } from 'zod'
import { OpenEnum, Timestamp } from './primitives.ts'

/** A configuration of a flow that is allowed but probably a mistake. */
export const FlowWarning = z
  .object({
    code: OpenEnum(['no_placeholder', 'unknown_placeholder', 'html_on_chat', 'unescaped_message']).meta({
      description: 'A stable code for programs.',
    }),
    pointer: z.string().meta({ description: 'A JSON Pointer (RFC 6901) to the field.' }),
    message: z.string().meta({ description: 'A description of the probable mistake and how to fix it.' }),
  })
  .meta({ id: 'FlowWarning', description: 'A configuration of a flow that is allowed but probably a mistake.' })

/** The health of a flow: whether its messages are being delivered. */
export const FlowHealth = z
  .object({
    status: OpenEnum(['unknown', 'healthy', 'unhealthy']).meta({
      description:
        '`healthy` after a message is sent or a check passes. `unhealthy` after a check fails, or after ten consecutive deliveries fail permanently because of the credential or the target. `unknown` until then, and after the target or credential changes. An unhealthy flow still sends.',
    }),
    code: z
      .string()
      .nullable()
      .meta({ description: 'The code of the failure or check result that made the flow unhealthy; `null` otherwise.' }),
    detail: z.string().nullable().meta({ description: 'An explanation of the code, without secrets; `null` when there is none.' }),
    since: Timestamp.nullable().meta({ description: 'When the status took its current value; `null` while it is `unknown`.' }),
    checked_at: Timestamp.nullable().meta({ description: 'When the flow was last checked; `null` when it never was.' }),
  })
  .meta({
    id: 'FlowHealth',
    description:
      'The health of a flow: whether its messages are being delivered. The `ETag` does not cover it, so a change of health does not cause an update to fail with 412.',
  })

/** The result of one step of a flow check. */
export const FlowCheckFinding = z
  .object({
    name: z.string().meta({ description: 'The step, such as `connect`, `authenticate` or `membership`.' }),
    ok: z.boolean().meta({ description: 'Whether the step passed.' }),
    code: z.string().meta({ description: '`ok`, the error code of the provider, or one defined by Flowpost.' }),
    detail: z.string().meta({ description: 'An explanation without secrets.' }),
  })
  .meta({ id: 'FlowCheckFinding', description: 'The result of one step of a flow check.' })

/** The result of a flow check. */
export const FlowCheck = z
  .object({
    ok: z.boolean().meta({ description: 'Whether every step passed.' }),
    checks: z.array(FlowCheckFinding).meta({ description: 'The results of the steps, in order.' }),
  })
  .meta({ id: 'FlowCheck', description: 'The result of a flow check.' })
