import type { z } from 'zod'
import { maxEventEndpoints } from '../event-endpoint-resources.ts'
import type { EventType } from '../event-types.ts'
import type { SettingsApplied, SettingsApply } from '../settings-document.ts'
import { ApiError } from './api-error.ts'
import { type CollectionPlan, planCollection } from './plan-settings.ts'

/** An event endpoint in a settings document. */
export type GivenEndpoint = NonNullable<z.output<typeof SettingsApply>['event_endpoints']>[number]

/** A stored event endpoint that has a key. `E` is the caller's type of stored event endpoints. */
export interface StoredEndpoint<E> extends Omit<GivenEndpoint, 'events'> {
  readonly id: string
  readonly events: readonly EventType[]
  readonly updated_at: string
  readonly stored: E
}

/**
 * Returns an endpoint as it appears in a document. Sorts its event types, so that their order does not count as a
 * change.
 */
export const toEndpointDocument = ({
  key,
  url,
  events,
  active,
  description,
}: Omit<GivenEndpoint, 'events'> & { readonly events: readonly EventType[] }): GivenEndpoint => ({
  key,
  url,
  events: [...new Set(events)].sort(),
  active,
  description,
})

const byPointer = ({ url, events, active, description }: GivenEndpoint): Record<string, unknown> => ({
  '/url': url,
  '/events': events,
  '/active': active,
  '/description': description,
})

/** Returns a response without the created endpoints' secrets, for storage under the idempotency key. */
export const omitEndpointSecrets = (applied: z.output<typeof SettingsApplied>): z.output<typeof SettingsApplied> => ({
  ...applied,
  changes: applied.changes.map(({ secret: _, ...change }) => change),
})

/** Returns the error for a request that would give a project too many event endpoints. */
export const tooManyEventEndpoints = (): ApiError =>
  new ApiError('too_many_event_endpoints', `A project can have up to ${maxEventEndpoints} event endpoints. Delete one first.`)

/**
 * Plans the changes to a project's event endpoints that a settings document requires.
 * @param given The endpoints in the document; `undefined` if the document has no `event_endpoints`.
 * @throws ApiError `too_many_event_endpoints`.
 */
export const planEndpoints = <E>(
  given: readonly GivenEndpoint[] | undefined,
  stored: { readonly endpoints: readonly StoredEndpoint<E>[]; readonly withoutKey: number },
  prune: boolean,
): CollectionPlan<GivenEndpoint, E> => {
  const desired = (given ?? []).map((endpoint) => toEndpointDocument(endpoint))
  const plan = planCollection(
    { kind: 'event_endpoint', pointer: '/event_endpoints' },
    desired.map((endpoint) => ({ key: endpoint.key, fields: byPointer(endpoint), resource: endpoint, given: endpoint })),
    stored.endpoints.map((endpoint) => {
      const resource = toEndpointDocument(endpoint)
      return { key: endpoint.key, id: endpoint.id, fields: byPointer(resource), resource, stored: endpoint.stored }
    }),
    prune && given !== undefined,
  )
  const count = stored.withoutKey + stored.endpoints.length + plan.creates.length - plan.deletes.length
  if (plan.creates.length > 0 && count > maxEventEndpoints) throw tooManyEventEndpoints()
  return given === undefined ? { ...plan, unlisted: [] } : plan
}
