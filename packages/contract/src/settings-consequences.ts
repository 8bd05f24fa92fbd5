import { z } from 'zod'
import { SourceType } from './flows.ts'
import { Id, Timestamp } from './primitives.ts'

const affectedFields = {
  notifications: z.int().meta({ description: 'The number of affected notifications.' }),
  notification_id: Id('notification', 'The id of the newest affected notification.')
    .nullable()
    .meta({ description: 'The id of the newest affected notification; `null` if there are none.' }),
}

const Affected = (description: string) => z.object(affectedFields).meta({ description })

/** The effects that a document's settings would have had on past notifications. */
export const SettingsConsequences = z
  .object({
    examined: z
      .int()
      .meta({ description: 'The number of past notifications whose deliveries were computed with both the current and the new settings.' }),
    not_examined: z.int().meta({
      description:
        'The number of notifications that the server could not examine, because their messages are no longer stored, or the flows that sent them have changed since then.',
    }),
    since: Timestamp.nullable().meta({
      description: 'The acceptance time of the oldest notification that was read; `null` if none was read.',
    }),
    complete: z.boolean().meta({
      description:
        'Whether the server examined all notifications whose messages might still be stored. `false` if it reached a limit first.',
    }),
    deliveries: z
      .array(
        z.object({
          source_type: SourceType,
          before: z.int().meta({ description: 'The number of deliveries that the current settings would create.' }),
          after: z.int().meta({ description: "The number of deliveries that the document's settings would create." }),
        }),
      )
      .meta({ description: 'The providers for which the number of deliveries would change.' }),
    rejected: z
      .array(
        z.object({
          code: z.string().meta({ description: 'The problem code of the rejection.', examples: ['content_too_long'] }),
          ...affectedFields,
        }),
      )
      .meta({
        description:
          'The notifications that the current settings accept but the new settings would reject, grouped by problem code. Excludes those in `without_flow`.',
      }),
    without_flow: Affected('The notifications that the current settings accept but that would reach no flow with the new settings.'),
    changed_messages: Affected('The notifications with at least one message that would change.'),
    changed_targets: Affected('The notifications with at least one delivery that would have a different target.'),
  })
  .meta({
    id: 'SettingsConsequences',
    description:
      "The effects that the document's settings would have had on past notifications of the project. The newest 10,000 notifications are examined, for at most two seconds. Messages that were sent with test keys do not count. The messages and targets in requests are not stored, so they are derived from the deliveries. Credentials and suppressions are not considered.",
  })
