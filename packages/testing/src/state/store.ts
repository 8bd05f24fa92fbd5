import type { EventType, KeyMode, Scope } from '@flowpost/contract'
import type { DeliveryStatus, Failure, FlowHealth, NotificationStatus, Receipt, RenderedContent } from '@flowpost/domain'
import type {
  Attempt,
  BulkAction,
  Delivery,
  Erasure,
  Event,
  EventAttempt,
  EventEndpoint,
  EventEndpointHealth,
  Flow,
  Integration,
  Notification,
  NotificationExplanation,
  Project,
  SettingsHistoryEntry,
  Suppression,
} from './api-types.ts'

/** A user's project. */
export interface ProjectRecord extends Readonly<Project> {
  readonly userId: string
}

/** A flow. Its warnings are computed when it is serialized. */
export interface FlowRecord extends Readonly<Omit<Flow, 'warnings' | 'health'>> {
  readonly condition: FlowHealth<string>
  readonly checked_at: string | null
}

/** A project's own settings and secrets for a provider. Responses contain only the names of the secrets. */
export interface IntegrationRecord {
  /** The internal id that determines the list order. */
  readonly id: string
  readonly projectId: string
  readonly sourceType: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, unknown>>
  readonly inbound: NonNullable<Integration['inbound']> | null
  readonly created_at: string
  readonly updated_at: string
}

/** An API key with its token. */
export interface ApiKeyRecord {
  readonly id: string
  readonly userId: string
  readonly token: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly mode: KeyMode
  readonly projectId: string | null
  readonly parentId: string | null
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | null
  readonly created_at: string
  lastUsedAt: string | null
}

/** A message to one recipient. */
export interface DeliveryRecord extends Omit<Delivery, 'status' | 'failure' | 'receipt'> {
  readonly notification: NotificationRecord
  /** The rendered message; `null` if the recipient has been erased. */
  content: RenderedContent | null
  readonly attempts: Attempt[]
  status: DeliveryStatus
  failure: Failure | null
  receipt: Receipt | null
  /**
   * The start of the first attempt in the current retry budget, in milliseconds since the epoch. A requested retry begins a
   * new budget.
   */
  firstAttemptAt: number | null
  /** The number of attempts that were made before the current retry budget began. */
  attemptsBeforeBudget: number
  /** Whether `recordCompletion` has processed the final status, with or without storing an event. */
  isRecorded: boolean
  /** Whether the flow or project was deleted, so that the delivery must not be retried. */
  cancelRequested: boolean
  /**
   * Whether the project's credential was deleted while the delivery was pending. If so, the delivery does not use the
   * deployment's credential.
   */
  isCredentialRemoved: boolean
  /**
   * The `recipientKey` of an erased recipient. If a receipt arrives after the erasure, the mock uses this key to suppress
   * the recipient, because `target` no longer contains the address.
   */
  erasedKey?: string
}

/** An accepted notification. It remains in the store when its project is deleted. */
export interface NotificationRecord extends Omit<Notification, 'status' | 'deliveries'> {
  readonly userId: string
  /** The flow that the request named, if any, and whether the request had a `target`. */
  readonly request: NonNullable<NotificationExplanation['request']>
  /** The `send_at`, in milliseconds since the epoch; `null` if the notification was due when it was accepted. */
  readonly sendAt: number | null
  readonly deliveries: DeliveryRecord[]
  status: NotificationStatus
  /** Whether `recordCompletion` has processed the completion, with or without storing an event. */
  isRecorded: boolean
}

/** A recorded settings change. It remains in the store when its project is deleted. */
export interface SettingsHistoryRecord extends SettingsHistoryEntry {
  readonly userId: string
  /** The `created_at` of the resource. */
  readonly resourceCreatedAt: string
  /** The `updated_at` of the resource before the change; `null` for a creation. */
  readonly previousUpdatedAt: string | null
}

/** An event in the feed. Its data does not change when the delivery, notification or flow changes later. */
export interface EventRecord {
  readonly id: string
  readonly userId: string
  readonly projectId: string
  readonly event: Event
}

/** A subscription to a project's events. */
export interface EventEndpointRecord extends Pick<EventEndpoint, 'id' | 'created_at'> {
  readonly projectId: string
  readonly userId: string
  readonly attempts: EventAttempt[]
  /** The key that identifies the endpoint in settings documents; `null` if the endpoint has no key. */
  key: string | null
  url: string | null
  events: readonly EventType[]
  active: boolean
  description: string
  updated_at: string
  secret: string
  /** The secret that the last rotation replaced. It is valid until `until`, in milliseconds since the epoch. */
  previousSecret: { readonly secret: string; readonly until: number } | null
  health: EventEndpointHealth
  /** The id of the event after which sending continues. Empty to start with the first event. */
  position: string
  /** The number of consecutive failed requests and the time of the first one; `null` if there are none. */
  failures: { readonly count: number; readonly since: number } | null
  /**
   * Increases with each update, replay and secret rotation. If the claim increases while an event is sent, the result of that
   * request is ignored.
   */
  claim: number
}

/** A bulk action and its progress. */
export interface BulkActionRecord extends Omit<BulkAction, 'action' | 'status' | 'matched' | 'done' | 'skipped' | 'completed_at'> {
  readonly userId: string
  /** Whether a test key created the action. If so, the action retries only test messages. */
  readonly isTest: boolean
  readonly action: 'retry' | 'cancel'
  /** The id of the newest notification when the action was created. The action ignores later notifications. */
  readonly lastNotificationId: string
  /** The id of the last delivery that the action has examined. */
  lastDeliveryId: string
  status: 'running' | 'done' | 'stopped'
  matched: number
  done: number
  skipped: number
  completed_at: string | null
}

/** An entry in a project's suppression list: a recipient to whom the project sends nothing. */
export interface SuppressionRecord {
  readonly id: string
  readonly projectId: string
  /** The recipient's key, as `recipientKey` returns it. */
  readonly key: string
  /** The provider that the suppression applies to, or `null` for every provider. */
  readonly source_type: string | null
  /** The recipient's address or, after an erasure, the text that replaces it. */
  target: string
  readonly reason: Suppression['reason']
  readonly source: Suppression['source']
  readonly created_at: string
}

/** The erasure of a recipient, and the user who requested it. */
export interface ErasureRecord extends Readonly<Erasure> {
  readonly userId: string
}

/** The stored response for an idempotency key. `response` is `undefined` for batches and for requests in progress. */
export interface StoredResponse {
  readonly fingerprint: string
  readonly storedAt: number
  readonly response:
    | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly text: string | undefined }
    | undefined
}

/** The data of a mock. Maps preserve the insertion order, which is also the id order. */
export interface Store {
  readonly projects: Map<string, ProjectRecord>
  readonly flows: Map<string, FlowRecord>
  /** Keyed by {@link integrationKey}. */
  readonly integrations: Map<string, IntegrationRecord>
  readonly apiKeys: Map<string, ApiKeyRecord>
  readonly suppressions: Map<string, SuppressionRecord>
  readonly settingsHistory: Map<string, SettingsHistoryRecord>
  readonly erasures: Map<string, ErasureRecord>
  readonly notifications: Map<string, NotificationRecord>
  readonly bulkActions: Map<string, BulkActionRecord>
  readonly eventEndpoints: Map<string, EventEndpointRecord>
  readonly events: Map<string, EventRecord>
  /**
   * The entity tags of settings that were loaded from a lock file. The key is the entity tag that the mock computes for the
   * settings. The value is the digest from the lock file, in quotes.
   */
  readonly lockedDigests: Map<string, string>
  /** The stored responses, keyed by user, operation and idempotency key. */
  readonly responses: Map<string, StoredResponse>
}

/** Creates an empty store. */
export const createStore = (): Store => ({
  projects: new Map(),
  flows: new Map(),
  integrations: new Map(),
  apiKeys: new Map(),
  suppressions: new Map(),
  settingsHistory: new Map(),
  erasures: new Map(),
  notifications: new Map(),
  bulkActions: new Map(),
  eventEndpoints: new Map(),
  events: new Map(),
  lockedDigests: new Map(),
  responses: new Map(),
})

/** Empties a store. */
export const clearStore = (store: Store): void => {
  for (const map of Object.values(store)) map.clear()
}

/** Returns the key of an integration in `Store.integrations`. */
export const integrationKey = (projectId: string, sourceType: string): string => `${projectId} ${sourceType}`
