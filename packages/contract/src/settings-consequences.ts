import { z } from 'zod'
import { SourceType } from './flows.ts'
import { Id, Timestamp } from './primitives.ts'

const affectedFields = {
  notifications: z.int().meta({ description: 'The number of notifications.' }),
  notification_id: Id('notification', 'The id of the newest one.')
    .nullable()
    .meta({ description: 'The id of the newest one; `null` if there is none.' }),
}

const Affected = (description: string) => z.object(affectedFields).meta({ description })

/** The effects that the settings of a document would have had on past notifications. */
export const SettingsConsequences = z
  .object({
    examined: z.int().meta({ description: 'The number of notifications that were planned again, with the old and the new settings.' }),
    not_examined: z.int().meta({
      description:
        'The number of notifications that were read, but could not be planned again: their messages are no longer stored, or the flows that sent them have changed since.',
    }),
    since: Timestamp.nullable().meta({
      description: 'When the oldest notification that was read was accepted; `null` if there is none.',
    }),
    complete: z.boolean().meta({
      description: 'Whether all notifications whose messages may still be stored were read. If not, a limit was reached first.',
    }),
    deliveries: z
      .array(
        z.object({
          source_type: SourceType,
          before: z.int().meta({ description: 'The number of deliveries with the current settings.' }),
          after: z.int().meta({ description: 'The number of deliveries with the settings of the document.' }),
        }),
      )
      .meta({ description: 'The providers whose number of deliveries changes.' }),
    rejected: z
      .array(
        z.object({
          code: z.string().meta({ description: 'The problem code of the rejection.', examples: ['content_too_long'] }),
          ...affectedFields,
        }),
      )
      .meta({ description: 'The notifications that would be rejected, although the current settings accept them, by code.' }),
    without_flow: Affected('The notifications that would reach no flow.'),
    changed_messages: Affected('The notifications of which a message would change.'),
    changed_targets: Affected('The notifications of which a delivery would have another target.'),
  })
  .meta({
    id: 'SettingsConsequences',
    description:
      'What the settings of the document would have done to past notifications of the project. The newest 10,000 are examined, for at most two seconds. Messages that were sent with test keys do not count. The messages and targets of requests are not stored, so they are derived from the deliveries. Credentials and suppressions are not considered.',
  })
