import type { FieldError } from '@flowpost/contract'
import { findAddressIssues, findApiKeyErrors, toBodyErrors } from '@flowpost/contract/rules'
import type { CompletionTracker } from '../delivery/completion.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import type { EventLog } from '../events/event-log.ts'
import type { EventPushes } from '../events/event-pushes.ts'
import type { DeliveryFaults } from '../faults/delivery-faults.ts'
import type { Handler, HandlerTable, Principal } from '../http/handler.ts'
import type { Operation } from '../public-types.ts'
import type { MockContext } from '../state/mock-context.ts'
import { createApiKeys } from './api-keys.ts'
import { bulkActionBodyIssues, createBulkActions } from './bulk-actions.ts'
import { cancelPending } from './change-deliveries.ts'
import { createErasures } from './erasures.ts'
import { createEventEndpoints } from './event-endpoints.ts'
import { createEventFeed } from './event-feed.ts'
import { createFlows, flowBodyIssues } from './flows.ts'
import { createIntegrations, integrationBodyIssues } from './integrations.ts'
import { createNotifications } from './notifications.ts'
import { findSendIssuesOf } from './plan-notification.ts'
import { createProjects } from './projects.ts'
import { createProviders } from './providers.ts'
import { createDeliveries } from './receipts.ts'
import { createSettings, settingsBodyIssues, settingsIntegrationIssues } from './settings.ts'
import { createSuppressions, recipientIssues } from './suppressions.ts'

/** The dependencies of the handlers, besides the context. */
export interface FeatureDeps {
  readonly dispatcher: Dispatcher
  readonly completion: CompletionTracker
  readonly faults: DeliveryFaults
  readonly events: EventLog
  readonly pushes: EventPushes
}

/** Creates the handlers of all operations. */
export const createHandlers = (context: MockContext, deps: FeatureDeps): HandlerTable => {
  const cancel = (of: { projectId?: string; flowId?: string }) => cancelPending(context, deps.completion, of)
  const groups = {
    projects: createProjects(context, cancel),
    flows: createFlows(context, deps, cancel),
    integrations: createIntegrations(context),
    providers: createProviders(context),
    apiKeys: createApiKeys(context),
    settings: createSettings(context, { cancelPending: cancel, pushes: deps.pushes }),
    suppressions: createSuppressions(context),
    notifications: createNotifications(context, deps),
    deliveries: createDeliveries(context, deps.events),
    bulkActions: createBulkActions(context, deps),
    erasures: createErasures(context, deps.completion),
    eventEndpoints: createEventEndpoints(context, deps.pushes),
    events: createEventFeed(context, deps.events),
  }
  return new Map(
    Object.entries(groups).flatMap(([group, handlers]) =>
      Object.entries(handlers).map(([name, handler]) => [`${group}.${name}` as Operation, handler as Handler] as const),
    ),
  )
}

/** The input of a body check. */
export interface BodyCheckInput {
  readonly principal: Principal
  readonly params: Readonly<Record<string, string>>
  readonly body: unknown
}

type BodyCheck = (context: MockContext, request: BodyCheckInput) => readonly FieldError[]

const flowCheck =
  (method: string): BodyCheck =>
  (context, { principal, params, body }) =>
    flowBodyIssues(context, principal, params, method, body)

/** Body checks that the schemas cannot express, keyed by operation. */
export const bodyChecks: Partial<Record<Operation, BodyCheck>> = {
  'flows.create': flowCheck('POST'),
  'flows.update': flowCheck('PUT'),
  'flows.patch': flowCheck('PATCH'),
  'integrations.put': (context, { principal, params, body }) => integrationBodyIssues(context, principal, params, body),
  'bulkActions.create': (_context, { body }) => bulkActionBodyIssues(body),
  'suppressions.create': (context, { body }) => recipientIssues(context, body),
  'erasures.create': (context, { body }) => recipientIssues(context, body),
  'notifications.send': (_, { body }) => toBodyErrors(findAddressIssues(body)),
  'notifications.preview': (_, { body }) => toBodyErrors(findAddressIssues(body)),
  'settings.apply': (context, { body }) => settingsBodyIssues(context, body),
}

const sendCheck: BodyCheck = (context, { body }) => toBodyErrors(findSendIssuesOf(context, body))

/**
 * Late body checks, keyed by operation. Normally, validation does not run them, and the handlers run them after the
 * idempotency lookup. If validation finds another error in the query or the body, the handler does not run. Validation then
 * runs these checks too, so that the response lists all errors.
 */
export const lateBodyChecks: Partial<Record<Operation, BodyCheck>> = {
  'notifications.send': sendCheck,
  'notifications.preview': sendCheck,
  'settings.apply': (context, { principal, body }) => settingsIntegrationIssues(context, principal, body),
  'apiKeys.create': (context, { principal, body }) => findApiKeyErrors(principal, context.clock.now(), body),
}
