import type * as contract from '@flowpost/contract'

type Output<Schema extends { readonly _output: unknown }> = Schema['_output']

// The exact types of the contract schemas. The types of the client are less strict: their enums are open.
export type ApiKey = Output<typeof contract.ApiKey>
export type Attempt = Output<typeof contract.Attempt>
export type Delivery = Output<typeof contract.Delivery>
export type DeliveryWithAttempts = Output<typeof contract.DeliveryWithAttempts>
export type Erasure = Output<typeof contract.Erasure>
export type Flow = Output<typeof contract.Flow>
export type FlowCheck = Output<typeof contract.FlowCheck>
export type Integration = Output<typeof contract.Integration>
export type Notification = Output<typeof contract.Notification>
export type NotificationPreview = Output<typeof contract.NotificationPreview>
export type NotificationSend = Output<typeof contract.NotificationSend>
export type NotificationWithAttempts = Output<typeof contract.NotificationWithAttempts>
export type Project = Output<typeof contract.Project>
export type Provider = Output<typeof contract.Provider>
export type Suppression = Output<typeof contract.Suppression>
