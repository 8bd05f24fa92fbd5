import type { ApiKeyRecord, FlowRecord, IntegrationRecord, KeptAnswer, NotificationRecord, ProjectRecord } from './records.ts'

/** Everything that a mock remembers. Maps keep the order in which things were made, which is that of their ids. */
export interface Store {
  readonly projects: Map<string, ProjectRecord>
  readonly flows: Map<string, FlowRecord>
  /** By {@link integrationKey}. */
  readonly integrations: Map<string, IntegrationRecord>
  readonly apiKeys: Map<string, ApiKeyRecord>
  readonly notifications: Map<string, NotificationRecord>
  /** By user, method, path and key. */
  readonly answers: Map<string, KeptAnswer>
}

/** An empty store. */
export const createStore = (): Store => ({
  projects: new Map(),
  flows: new Map(),
  integrations: new Map(),
  apiKeys: new Map(),
  notifications: new Map(),
  answers: new Map(),
})

/** Empties a store. */
export const clearStore = (store: Store): void => {
  for (const map of Object.values(store)) map.clear()
}

/** What an integration is kept under. */
export const integrationKey = (projectId: string, sourceType: string): string => `${projectId} ${sourceType}`
