import { z } from 'zod'
import { failureKinds } from './deliveries.ts'
import { notificationStatuses } from './notification-resources.ts'
import { IdParam, Text, Time } from './primitives.ts'

const time = Time()

/** The query parameters that filter a list of notifications. They can be combined freely. */
export const notificationFilters = {
  project_id: IdParam('project', 'Returns only notifications of this project.').optional(),
  flow_id: IdParam('flow', 'Returns only notifications with a delivery through this flow.').optional(),
  status: z.enum(notificationStatuses).optional().meta({ description: 'Returns only notifications with this status.' }),
  reference: Text({ max: 255 })
    .meta({ description: 'Returns only notifications with exactly this reference.', examples: ['order-1042'] })
    .optional(),
  target: Text({ max: 2_000 })
    .meta({
      description:
        'Returns only notifications with a delivery to this recipient. The comparison ignores case in the domain of an email address. Everything else must match exactly.',
      examples: ['ops@example.com'],
    })
    .optional(),
  source_type: Text({ max: 255 })
    .meta({ description: 'Returns only notifications with a delivery through this provider.', examples: ['smtp'] })
    .optional(),
  failure_kind: z
    .enum(failureKinds)
    .optional()
    .meta({ description: 'Returns only notifications with a delivery whose `failure` has this kind.' }),
  failure_code: Text({ max: 255 })
    .meta({ description: 'Returns only notifications with a delivery whose `failure` has this code.', examples: ['550'] })
    .optional(),
  created_after: time.optional().meta({
    description: 'Returns only notifications that were accepted at this time or later.',
    examples: ['2026-11-21T00:00:00Z'],
  }),
  created_before: time.optional().meta({
    description: 'Returns only notifications that were accepted before this time.',
    examples: ['2026-11-22T00:00:00Z'],
  }),
}
