import { z } from 'zod'
import { notificationExplanationExample } from './examples.ts'
import { SourceType } from './flows.ts'
import { Id, OpenEnum, TimestampField } from './primitives.ts'

/** The effect of a notification on one flow. */
export const ExplainedFlow = z
  .object({
    flow_id: Id('flow', 'The id of the flow.'),
    key: z
      .string()
      .nullable()
      .meta({ description: 'The key of the flow when the notification was accepted; `null` if it had none.', examples: ['ops-mail'] }),
    name: z.string().meta({ description: 'The name of the flow when the notification was accepted.' }),
    source_type: SourceType,
    outcome: OpenEnum(['triggered', 'skipped']).meta({ description: 'Whether the notification triggered the flow.' }),
    reason: OpenEnum(['not_named', 'inactive', 'not_targeted']).nullable().meta({
      description:
        "Why the flow was skipped: the request named another flow (`not_named`), the flow was inactive, or no entry in the request's `target` matched the flow (`not_targeted`). `null` for a triggered flow.",
    }),
  })
  .meta({ id: 'ExplainedFlow', description: 'The effect of a notification on one flow, given the settings at the time of acceptance.' })

/** The reasons why a notification triggered some flows and not others. */
export const NotificationExplanation = z
  .object({
    notification_id: Id('notification', 'The id of the notification.'),
    accepted_at: TimestampField('When the notification was accepted.'),
    request: z
      .object({
        flow_id: Id('flow', 'The id of the flow.')
          .nullable()
          .meta({ description: 'The flow that the request named, by id or by key; `null` if it named none.' }),
        has_target: z.boolean().meta({ description: 'Whether the request had a `target`.' }),
      })
      .nullable()
      .meta({
        description:
          'The flow that the request named, and whether the request had a `target`; `null` if an older release accepted the notification without recording this.',
      }),
    flows: z.array(ExplainedFlow).nullable().meta({
      description:
        'The flows that the project had when the notification was accepted, ordered by id. If the notification cannot be explained, this field is `null`, and the field `unknown` states the reason.',
    }),
    unknown: z
      .object({
        code: OpenEnum(['before_history', 'request_not_recorded', 'settings_not_recorded']).meta({
          description:
            '`before_history`: the notification was accepted before the recorded settings history starts. `request_not_recorded`: an older release accepted the notification without recording the request. `settings_not_recorded`: the recorded settings do not match the deliveries, for example because an older release changed the settings during an upgrade.',
        }),
        detail: z.string().meta({ description: 'Explains `code`.' }),
      })
      .nullable()
      .meta({ description: 'The reason why the notification cannot be explained; `null` if it is explained.' }),
  })
  .meta({
    id: 'NotificationExplanation',
    description: 'Why a notification triggered some flows and not others, according to the settings at the time of acceptance.',
    examples: [notificationExplanationExample],
  })
