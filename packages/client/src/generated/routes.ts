// Written by `generate/main.ts` from the contract. Change the contract and run `pnpm generate` instead of editing this file.

import type { RouteTable } from '../route.ts'

/** The route of each operation, with the properties that the SDK needs at run time. */
export const routes = {
  projects: {
    create: { method: 'POST', path: '/v1/settings/projects', body: true, idempotent: true },
    list: { method: 'GET', path: '/v1/settings/projects', query: true, page: true },
    get: { method: 'GET', path: '/v1/settings/projects/:project_id' },
    update: { method: 'PUT', path: '/v1/settings/projects/:project_id', body: true, fields: ['name', 'key'] },
    delete: { method: 'DELETE', path: '/v1/settings/projects/:project_id' },
  },
  flows: {
    create: { method: 'POST', path: '/v1/settings/projects/:project_id/flows', body: true, idempotent: true },
    list: { method: 'GET', path: '/v1/settings/projects/:project_id/flows', query: true, page: true },
    get: { method: 'GET', path: '/v1/settings/projects/:project_id/flows/:flow_id' },
    update: {
      method: 'PUT',
      path: '/v1/settings/projects/:project_id/flows/:flow_id',
      body: true,
      fields: ['name', 'active', 'source_type', 'target', 'override_target', 'message_template', 'message_template_type'],
    },
    patch: { method: 'PATCH', path: '/v1/settings/projects/:project_id/flows/:flow_id', body: true },
    delete: { method: 'DELETE', path: '/v1/settings/projects/:project_id/flows/:flow_id' },
    check: { method: 'POST', path: '/v1/settings/projects/:project_id/flows/:flow_id/check', repeatable: true },
  },
  integrations: {
    list: { method: 'GET', path: '/v1/settings/projects/:project_id/integrations', query: true, page: true },
    get: { method: 'GET', path: '/v1/settings/projects/:project_id/integrations/:source_type' },
    put: { method: 'PUT', path: '/v1/settings/projects/:project_id/integrations/:source_type', body: true },
    delete: { method: 'DELETE', path: '/v1/settings/projects/:project_id/integrations/:source_type' },
    rotateInbound: { method: 'POST', path: '/v1/settings/projects/:project_id/integrations/:source_type/rotate-inbound', idempotent: true },
  },
  providers: {
    list: { method: 'GET', path: '/v1/settings/providers', query: true, page: true },
  },
  suppressions: {
    create: { method: 'POST', path: '/v1/settings/projects/:project_id/suppressions', body: true, idempotent: true },
    list: { method: 'GET', path: '/v1/settings/projects/:project_id/suppressions', query: true, page: true },
    delete: { method: 'DELETE', path: '/v1/settings/projects/:project_id/suppressions/:suppression_id' },
  },
  apiKeys: {
    create: { method: 'POST', path: '/v1/settings/api-keys', body: true, idempotent: true },
    list: { method: 'GET', path: '/v1/settings/api-keys', query: true, page: true },
    delete: { method: 'DELETE', path: '/v1/settings/api-keys/:key_id' },
  },
  settings: {
    export: { method: 'GET', path: '/v1/settings/projects/:project_id/export' },
    apply: { method: 'POST', path: '/v1/settings/apply', body: true, idempotent: true },
  },
  notifications: {
    send: { method: 'POST', path: '/v1/notifications', body: true, idempotent: true },
    sendBatch: { method: 'POST', path: '/v1/notifications/batch', body: true, idempotent: true },
    list: { method: 'GET', path: '/v1/notifications', query: true, page: true },
    get: { method: 'GET', path: '/v1/notifications/:notification_id', query: true, wait: 60 },
    deliveries: { method: 'GET', path: '/v1/notifications/:notification_id/deliveries', query: true, page: true },
    preview: { method: 'POST', path: '/v1/notifications/preview', body: true, repeatable: true },
    retry: { method: 'POST', path: '/v1/notifications/:notification_id/retry', idempotent: true },
    cancel: { method: 'POST', path: '/v1/notifications/:notification_id/cancel', idempotent: true },
  },
  deliveries: {
    recordReceipt: { method: 'POST', path: '/v1/deliveries/:delivery_id/receipt', body: true, idempotent: true },
  },
  bulkActions: {
    create: { method: 'POST', path: '/v1/bulk-actions', body: true, idempotent: true },
    list: { method: 'GET', path: '/v1/bulk-actions', query: true, page: true },
    get: { method: 'GET', path: '/v1/bulk-actions/:action_id', query: true, wait: 60 },
    stop: { method: 'POST', path: '/v1/bulk-actions/:action_id/stop', idempotent: true },
  },
  erasures: {
    create: { method: 'POST', path: '/v1/erasures', body: true, idempotent: true },
    get: { method: 'GET', path: '/v1/erasures/:erasure_id' },
  },
  eventEndpoints: {
    create: { method: 'POST', path: '/v1/settings/projects/:project_id/event-endpoints', body: true, idempotent: true },
    list: { method: 'GET', path: '/v1/settings/projects/:project_id/event-endpoints', query: true, page: true },
    get: { method: 'GET', path: '/v1/settings/projects/:project_id/event-endpoints/:endpoint_id' },
    update: {
      method: 'PUT',
      path: '/v1/settings/projects/:project_id/event-endpoints/:endpoint_id',
      body: true,
      fields: ['url', 'events', 'active', 'description'],
    },
    delete: { method: 'DELETE', path: '/v1/settings/projects/:project_id/event-endpoints/:endpoint_id' },
    rotateSecret: {
      method: 'POST',
      path: '/v1/settings/projects/:project_id/event-endpoints/:endpoint_id/rotate-secret',
      idempotent: true,
    },
    test: { method: 'POST', path: '/v1/settings/projects/:project_id/event-endpoints/:endpoint_id/test', idempotent: true },
    attempts: { method: 'GET', path: '/v1/settings/projects/:project_id/event-endpoints/:endpoint_id/attempts', query: true, page: true },
    replay: { method: 'POST', path: '/v1/settings/projects/:project_id/event-endpoints/:endpoint_id/replay', body: true, idempotent: true },
  },
  events: {
    list: { method: 'GET', path: '/v1/events', query: true, wait: 60 },
  },
} as const satisfies RouteTable
