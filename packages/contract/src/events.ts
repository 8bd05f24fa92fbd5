import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { declareRead } from './access.ts'
import { EventFeed } from './event-resources.ts'
import { subscribableEventTypes } from './event-types.ts'
import { IdParam, QueryInteger, waitLimit } from './primitives.ts'

const c = initContract()

const listAccess = declareRead('notifications:read', ['not_found', 'invalid_cursor'])

/** The event operations. */
export const events = c.router(
  {
    list: {
      method: 'GET',
      path: '/v1/events',
      summary: 'Read events',
      description: `Returns the user's stored events, oldest first. An event is stored only if its project has an active event endpoint that lists the event's type. An event endpoint whose \`url\` is \`null\` is enough. Events are stored for 7 days by default. A client that follows \`cursor\` receives every stored event exactly once. ${waitLimit}`,
      query: z.strictObject({
        limit: QueryInteger(1, 1000).default(100).meta({
          description:
            'The maximum number of events, 1 to 1000. A response can contain fewer events, or none, because its size is limited to about 1 MiB and a request examines a limited number of events. `cursor` advances even then.',
        }),
        cursor: z.string().optional().meta({
          description:
            'The `cursor` of the previous response. By default, the response starts with the oldest stored event. A cursor is valid only with the same filters.',
        }),
        type: z.enum(subscribableEventTypes).optional().meta({ description: 'Returns only events of this type.' }),
        project_id: IdParam('project', 'Returns only events of this project.').optional(),
        wait: QueryInteger(0, 60).optional().meta({
          description: 'The maximum number of seconds, 0 to 60, to wait for an event if there is none after `cursor`.',
        }),
      }),
      responses: { 200: EventFeed, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
  },
  { strictStatusCodes: true },
)
