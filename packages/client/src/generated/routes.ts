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
  },
  providers: {
    list: { method: 'GET', path: '/v1/settings/providers', query: true, page: true },
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
    list: { method: 'GET', path: '/v1/notifications', query: true, page: true },
    get: { method: 'GET', path: '/v1/notifications/:notification_id', query: true, wait: 60 },
    deliveries: { method: 'GET', path: '/v1/notifications/:notification_id/deliveries', query: true, page: true },
    preview: { method: 'POST', path: '/v1/notifications/preview', body: true, repeatable: true },
    retry: { method: 'POST', path: '/v1/notifications/:notification_id/retry', idempotent: true },
    cancel: { method: 'POST', path: '/v1/notifications/:notification_id/cancel', idempotent: true },
  },
} as const satisfies RouteTable
