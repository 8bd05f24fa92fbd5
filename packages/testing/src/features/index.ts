import type { FieldError } from '@flowpost/contract'
import { findApiKeyErrors } from '@flowpost/contract/rules'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import type { Settlements } from '../delivery/notification-status.ts'
import type { DeliveryFaults } from '../faults/delivery-faults.ts'
import type { Handler, HandlerTable, Principal } from '../http/call.ts'
import type { Operation } from '../named-types.ts'
import type { World } from '../state/world.ts'
import { createApiKeys } from './api-keys.ts'
import { cancelOpen } from './change-deliveries.ts'
import { createFlows, flowBodyFaults } from './flows.ts'
import { createIntegrations, integrationBodyFaults } from './integrations.ts'
import { createNotifications } from './notifications.ts'
import { createProjects } from './projects.ts'
import { createProviders } from './providers.ts'

/** What features need beside the state. */
export interface FeatureDeps {
  readonly dispatcher: Dispatcher
  readonly settlements: Settlements
  readonly faults: DeliveryFaults
}

/** What the mock does for every operation of the contract. */
export const createHandlers = (world: World, deps: FeatureDeps): HandlerTable => {
  const cancel = (of: { projectId?: string; flowId?: string }) => cancelOpen(world, deps.settlements, of)
  const groups = {
    projects: createProjects(world, cancel),
    flows: createFlows(world, deps.faults, cancel),
    integrations: createIntegrations(world),
    providers: createProviders(world),
    apiKeys: createApiKeys(world),
    notifications: createNotifications(world, deps),
  }
  return new Map(
    Object.entries(groups).flatMap(([group, handlers]) =>
      Object.entries(handlers).map(([name, handler]) => [`${group}.${name}` as Operation, handler as Handler] as const),
    ),
  )
}

/** A request whose body is to be checked beyond its schema. */
export interface CheckedBody {
  readonly principal: Principal
  readonly params: Readonly<Record<string, string>>
  readonly body: unknown
}

type BodyCheck = (world: World, request: CheckedBody) => readonly FieldError[]

const flowCheck =
  (method: string): BodyCheck =>
  (world, { principal, params, body }) =>
    flowBodyFaults(world, principal, params, method, body)

/** Faults of bodies that their schemas cannot know, by operation. */
export const bodyChecks: Partial<Record<Operation, BodyCheck>> = {
  'flows.create': flowCheck('POST'),
  'flows.update': flowCheck('PUT'),
  'flows.patch': flowCheck('PATCH'),
  'integrations.put': (world, { principal, params, body }) => integrationBodyFaults(world, principal, params, body),
  'apiKeys.create': (world, { principal, body }) => findApiKeyErrors(principal, world.clock.now(), body),
}
