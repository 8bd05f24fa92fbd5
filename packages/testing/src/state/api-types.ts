import type * as contract from '@flowpost/contract'

type Output<Schema extends { readonly _output: unknown }> = Schema['_output']

// The exact types of the contract schemas. The client's types are less strict, because their enums are open.
export type ApiKey = Output<typeof contract.ApiKey>
export type Attempt = Output<typeof contract.Attempt>
export type BulkAction = Output<typeof contract.BulkAction>
export type BulkActionCreate = Output<typeof contract.BulkActionCreate>
export type Delivery = Output<typeof contract.Delivery>
export type DeliveryWithAttempts = Output<typeof contract.DeliveryWithAttempts>
export type Erasure = Output<typeof contract.Erasure>
export type Event = Output<typeof contract.Event>
export type EventAttempt = Output<typeof contract.EventAttempt>
export type EventEndpoint = Output<typeof contract.EventEndpoint>
export type EventEndpointHealth = Output<typeof contract.EventEndpointHealth>
export type EventEndpointCreate = Output<typeof contract.EventEndpointCreate>
export type EventEndpointUpdate = Output<typeof contract.EventEndpointUpdate>
export type Flow = Output<typeof contract.Flow>
export type FlowCheck = Output<typeof contract.FlowCheck>
export type Integration = Output<typeof contract.Integration>
export type Notification = Output<typeof contract.Notification>
export type NotificationBatchResult = Output<typeof contract.NotificationBatchResult>
export type NotificationPreview = Output<typeof contract.NotificationPreview>
export type NotificationSend = Output<typeof contract.NotificationSend>
export type NotificationWithAttempts = Output<typeof contract.NotificationWithAttempts>
export type NotificationExplanation = Output<typeof contract.NotificationExplanation>
export type PushedEvent = Output<typeof contract.PushedEvent>
export type Project = Output<typeof contract.Project>
export type Provider = Output<typeof contract.Provider>
export type SettingsConsequences = Output<typeof contract.SettingsConsequences>
export type SettingsHistoryEntry = Output<typeof contract.SettingsHistoryEntry>
export type SettingsHistoryPage = Output<typeof contract.SettingsHistoryPage>
export type Suppression = Output<typeof contract.Suppression>
