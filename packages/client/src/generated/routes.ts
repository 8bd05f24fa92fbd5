// Written by `generate/main.ts` from the contract. Change the contract and run `pnpm generate` instead of editing this file.

import type { RouteTable } from '../route.ts'

/** The route of each operation, with the properties that the SDK needs at run time. */
export const routes = {
  projects: {
    create: { method: 'POST', body: true, idempotent: true, path: '/v1/settings/projects' },
    list: { query: true, page: true, path: '/v1/settings/projects' },
    get: { path: '/v1/settings/projects/:project_id' },
    update: { method: 'PUT', body: true, fields: ['name', 'key'], path: '/v1/settings/projects/:project_id' },
    delete: { method: 'DELETE', path: '/v1/settings/projects/:project_id' },
  },
  flows: {
    create: { method: 'POST', body: true, idempotent: true, path: '/v1/settings/projects/:project_id/flows' },
    list: { query: true, page: true, path: '/v1/settings/projects/:project_id/flows' },
    get: { query: true, path: '/v1/settings/projects/:project_id/flows/:flow_id' },
    update: {
      method: 'PUT',
      body: true,
      fields: ['name', 'active', 'source_type', 'target', 'override_target', 'message_template', 'message_template_type'],
      path: '/v1/settings/projects/:project_id/flows/:flow_id',
    },
    patch: { method: 'PATCH', body: true, path: '/v1/settings/projects/:project_id/flows/:flow_id' },
    delete: { method: 'DELETE', path: '/v1/settings/projects/:project_id/flows/:flow_id' },
    check: { method: 'POST', repeatable: true, path: '/v1/settings/projects/:project_id/flows/:flow_id/check' },
  },
  integrations: {
    list: { query: true, page: true, path: '/v1/settings/projects/:project_id/integrations' },
    get: { path: '/v1/settings/projects/:project_id/integrations/:source_type' },
    put: { method: 'PUT', body: true, path: '/v1/settings/projects/:project_id/integrations/:source_type' },
    delete: { method: 'DELETE', path: '/v1/settings/projects/:project_id/integrations/:source_type' },
    rotateInbound: { method: 'POST', idempotent: true, path: '/v1/settings/projects/:project_id/integrations/:source_type/rotate-inbound' },
  },
  providers: {
    list: { query: true, page: true, path: '/v1/settings/providers' },
  },
  suppressions: {
    create: { method: 'POST', body: true, idempotent: true, path: '/v1/settings/projects/:project_id/suppressions' },
    list: { query: true, page: true, path: '/v1/settings/projects/:project_id/suppressions' },
    delete: { method: 'DELETE', path: '/v1/settings/projects/:project_id/suppressions/:suppression_id' },
  },
  apiKeys: {
    create: { method: 'POST', body: true, idempotent: true, path: '/v1/settings/api-keys' },
    list: { query: true, page: true, path: '/v1/settings/api-keys' },
    delete: { method: 'DELETE', path: '/v1/settings/api-keys/:key_id' },
  },
  settings: {
    export: { path: '/v1/settings/projects/:project_id/export' },
    apply: { method: 'POST', body: true, idempotent: true, path: '/v1/settings/apply' },
    history: { query: true, page: true, path: '/v1/settings/history' },
  },
  notifications: {
    send: { method: 'POST', body: true, idempotent: true, path: '/v1/notifications' },
    sendBatch: { method: 'POST', body: true, idempotent: true, path: '/v1/notifications/batch' },
    list: { query: true, page: true, path: '/v1/notifications' },
    get: { query: true, wait: 60, path: '/v1/notifications/:notification_id' },
    deliveries: { query: true, page: true, path: '/v1/notifications/:notification_id/deliveries' },
    explanation: { path: '/v1/notifications/:notification_id/explanation' },
    preview: { method: 'POST', body: true, repeatable: true, path: '/v1/notifications/preview' },
    retry: { method: 'POST', idempotent: true, path: '/v1/notifications/:notification_id/retry' },
    cancel: { method: 'POST', idempotent: true, path: '/v1/notifications/:notification_id/cancel' },
  },
  deliveries: {
    recordReceipt: { method: 'POST', body: true, idempotent: true, path: '/v1/deliveries/:delivery_id/receipt' },
  },
  bulkActions: {
    create: { method: 'POST', body: true, idempotent: true, path: '/v1/bulk-actions' },
    list: { query: true, page: true, path: '/v1/bulk-actions' },
    get: { query: true, wait: 60, path: '/v1/bulk-actions/:action_id' },
    stop: { method: 'POST', idempotent: true, path: '/v1/bulk-actions/:action_id/stop' },
  },
  erasures: {
    create: { method: 'POST', body: true, idempotent: true, path: '/v1/erasures' },
    get: { path: '/v1/erasures/:erasure_id' },
  },
  eventEndpoints: {
    create: { method: 'POST', body: true, idempotent: true, path: '/v1/settings/projects/:project_id/event-endpoints' },
    list: { query: true, page: true, path: '/v1/settings/projects/:project_id/event-endpoints' },
    get: { path: '/v1/settings/projects/:project_id/event-endpoints/:endpoint_id' },
    update: {
      method: 'PUT',
      body: true,
      fields: ['url', 'events', 'active', 'description', 'key'],
      path: '/v1/settings/projects/:project_id/event-endpoints/:endpoint_id',
    },
    delete: { method: 'DELETE', path: '/v1/settings/projects/:project_id/event-endpoints/:endpoint_id' },
    rotateSecret: {
      method: 'POST',
      idempotent: true,
      path: '/v1/settings/projects/:project_id/event-endpoints/:endpoint_id/rotate-secret',
    },
    test: { method: 'POST', idempotent: true, path: '/v1/settings/projects/:project_id/event-endpoints/:endpoint_id/test' },
    attempts: { query: true, page: true, path: '/v1/settings/projects/:project_id/event-endpoints/:endpoint_id/attempts' },
    replay: { method: 'POST', body: true, idempotent: true, path: '/v1/settings/projects/:project_id/event-endpoints/:endpoint_id/replay' },
  },
  events: {
    list: { query: true, wait: 60, path: '/v1/events' },
  },
} as const satisfies RouteTable
