import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const folder = 'apps/api/src/features/events'

/** Bugs in the server's events and event endpoints. */
export const serverEventMutants: readonly Mutant[] = [
  ...inFile(`${folder}/create-endpoint.ts`, [
    {
      name: 'a project can have 21 event endpoints',
      find: '(count?.endpoints ?? 0) >= maxEventEndpoints',
      replace: '(count?.endpoints ?? 0) > maxEventEndpoints',
      killedBy: /^eventEndpoints\.create 409: rejects more/,
    },
  ]),
  ...inFile(`${folder}/update-endpoint.ts`, [
    {
      name: 'an update of an event endpoint ignores If-Match',
      find: `const stored = await getEndpoint(transaction, author, path, true)
  requireMatch(ifMatch, () => endpointEtag(toEndpoint(stored)))
  transaction.invalidate(projectTag(stored.project_id))
  const row = await writeEndpoint`,
      replace: `const stored = await getEndpoint(transaction, author, path, true)
  transaction.invalidate(projectTag(stored.project_id))
  const row = await writeEndpoint`,
      killedBy: /^eventEndpoints\.update 412/,
    },
    {
      name: 'a replay accepts an event that does not exist',
      find: 'if (!position) throw notFound()',
      replace: `if (!position) return stored`,
      killedBy: /^eventEndpoints\.replay 404/,
    },
    {
      name: 'a replay accepts an endpoint without a URL',
      find: '  requireEndpointUrl(stored)\n',
      replace: '',
      killedBy: /^eventEndpoints\.replay 409: rejects an endpoint without a URL/,
    },
    {
      name: 'a rotation returns the previous secret',
      find: '  return { row, secret }',
      replace: '  return { row, secret: decryptIfPossible(encryption, stored)?.current ?? secret }',
      killedBy: /^eventEndpoints\.rotateSecret 200/,
    },
  ]),
  ...inFile(`${folder}/event-endpoint.routes.ts`, [
    {
      name: 'the list of push attempts accepts a cursor from another endpoint',
      find: 'const filters = { endpoint_id: params.endpoint_id }',
      replace: 'const filters = {}',
      killedBy: /^eventEndpoints\.attempts 400/,
    },
  ]),
  ...inFile(`${folder}/endpoint.serializer.ts`, [
    {
      name: 'the entity tag of an event endpoint depends on its health',
      find: '({ health: _, ...endpoint }: z.output<typeof EventEndpoint>): string => etagOf(endpoint)',
      replace: '(endpoint: z.output<typeof EventEndpoint>): string => etagOf({ ...endpoint, at: Math.random() })',
      killedBy: /^eventEndpoints\.get 304/,
    },
  ]),
  ...inFile(`${folder}/event.serializer.ts`, [
    {
      name: 'an event about a delivery does not have the reference of its notification',
      find: 'reference: notification.reference,',
      replace: 'reference: null,',
      killedBy: /^events\.list 200: returns the events for a sent notification/,
    },
  ]),
  ...inFile(`${folder}/record-events.ts`, [
    {
      name: 'events are stored whether or not an endpoint subscribes to their type',
      find: 'subscriptions.get(projectId)?.types.includes(type)',
      replace: 'subscriptions.has(projectId)',
      killedBy: /^events\.list 200: stores only events/,
    },
  ]),
  ...inFile(`${folder}/event.queries.ts`, [
    {
      name: 'a replay accepts an event in another project',
      find: 'from events where id = $1 and project_id = $2',
      replace: 'from events where id = $1 and $2::uuid is not null',
      killedBy: /^eventEndpoints\.replay 404: returns not_found for another project's event/,
    },
    {
      name: 'inactive endpoints store events',
      find: `where \${anyUuid('e.project_id', '$1')} and e.active group by`,
      replace: `where \${anyUuid('e.project_id', '$1')} group by`,
      killedBy: /^events\.list 200: stores only events/,
    },
  ]),
  ...inFile(`${folder}/read-feed.ts`, [
    {
      name: 'the feed accepts a cursor from a read with another type',
      find: 'project_id: requestedId, type: query.type }',
      replace: 'project_id: requestedId }',
      killedBy: /^events\.list 400/,
    },
    {
      name: 'a credential for one project reads all events of its user',
      find: 'const requestedId = query.project_id ?? boundId',
      replace: 'const requestedId = query.project_id',
      killedBy: /^events\.list 200: filters by type and project/,
    },
    {
      name: 'the feed ignores the filter by type',
      find: 'const types = type === undefined ? subscribableEventTypes : [type]',
      replace: 'const types = subscribableEventTypes',
      killedBy: /^events\.list 200: filters by type and project/,
    },
    {
      name: 'the feed skips events after the limit',
      find: 'const last = data.length < matching.length ? matching[data.length - 1] : rows.at(-1)',
      replace: 'const last = matching.at(-1) ?? rows.at(-1)',
      killedBy: /^events\.list 200: (continues after the cursor|filters by type)/,
    },
    {
      name: 'a read of the feed does not wait',
      find: 'if (wait === undefined) return',
      replace: 'if (wait?.waitMs !== -1) return',
      killedBy: /^events\.list 200: waits until/,
    },
    {
      name: 'a read of the feed that waits ends only when the time is up',
      find: 'await watch.next(remainingMs)',
      replace: 'await sleep(remainingMs)',
      killedBy: /^events\.list 200: waits until/,
    },
  ]),
  ...inFile(`${folder}/push/record-push.ts`, [
    {
      // The description of eventEndpoints.attempts says: "Returns the latest 100 requests to the endpoint, newest first."
      name: 'the log of an event endpoint has 101 attempts',
      find: 'offset ${keptAttempts - 1} limit 1',
      replace: 'offset ${keptAttempts} limit 1',
      killedBy: /^eventEndpoints\.attempts 200: returns only the latest 100/,
    },
  ]),
]
