import type { Scope } from '@flowpost/contract'
import type { DeliveryStatus, Failure, FlowHealth, NotificationStatus, RenderedContent } from '@flowpost/domain'
import type { Attempt, Delivery, Flow, Notification, Project } from './wire.ts'

/** A project of a user. */
export interface ProjectRecord extends Readonly<Project> {
  readonly userId: string
}

/** A flow; what looks wrong in it is worked out when it is shown. */
export interface FlowRecord extends Readonly<Omit<Flow, 'warnings' | 'health'>> {
  readonly condition: FlowHealth<string>
  readonly checked_at: string | null
}

/** A project's own credentials for a provider. The secrets are never shown, only which there are. */
export interface IntegrationRecord {
  /** Orders them; not shown. */
  readonly id: string
  readonly projectId: string
  readonly sourceType: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, unknown>>
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
  readonly projectId: string | null
  readonly parentId: string | null
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | null
  readonly created_at: string
  lastUsedAt: string | null
}

/** A message on its way to one receiver. */
export interface DeliveryRecord extends Omit<Delivery, 'status' | 'failure'> {
  readonly notification: NotificationRecord
  readonly content: RenderedContent
  readonly attempts: Attempt[]
  status: DeliveryStatus
  failure: Failure | null
  /** When the budget for retries began, in milliseconds since the epoch. */
  firstAttemptAt: number | null
  /** Whether it must not be tried again, because its flow or project is gone. */
  cancelRequested: boolean
}

/** A message that was accepted. It outlives its project. */
export interface NotificationRecord extends Omit<Notification, 'status' | 'deliveries'> {
  readonly userId: string
  readonly deliveries: DeliveryRecord[]
  status: NotificationStatus
}

/** The first answer to a request with an idempotency key; `undefined` while it is being made. */
export interface KeptAnswer {
  readonly fingerprint: string
  readonly keptAt: number
  readonly answer:
    | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly text: string | undefined }
    | undefined
}
