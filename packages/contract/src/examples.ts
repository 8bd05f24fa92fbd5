// The examples in the API documentation. A test validates them against their schemas.

const createdAt = '2026-11-21T09:30:00.000Z'
const tail = '01jdv3k2m8f6wbn0q4z5t7x9ya'

/** An example of a project. */
export const projectExample = { id: `prj_${tail}`, name: 'billing', key: 'billing', created_at: createdAt, updated_at: createdAt }

/** An example of the seven fields that a full update of a flow requires. */
export const flowFieldsExample = {
  name: 'Operations by email',
  active: true,
  source_type: 'smtp',
  target: 'ops@example.com',
  override_target: false,
  message_template: "Hi,\\n\\n'{{subject}}': {{message}}",
  message_template_type: 'text/plain',
} as const

/** An example of a flow. */
export const flowExample = {
  id: `flw_${tail}`,
  project_id: projectExample.id,
  ...flowFieldsExample,
  key: 'ops-mail',
  warnings: [],
  health: { status: 'unknown', code: null, detail: null, since: null, checked_at: null },
  created_at: createdAt,
  updated_at: createdAt,
} as const

/** An example of a notification that was just accepted. */
export const notificationExample = {
  id: `ntf_${tail}`,
  project_id: projectExample.id,
  status: 'queued',
  subject: 'Invoice 42',
  test: false,
  reference: 'order-1042',
  metadata: { customer: 'c-7' },
  created_at: createdAt,
  expires_at: null,
  deliveries: [
    {
      id: `dlv_${tail}`,
      flow_id: flowExample.id,
      source_type: 'smtp',
      target: 'ops@example.com',
      status: 'queued',
      captured: false,
      attempt_count: 0,
      next_attempt_at: null,
      sent_at: null,
      provider_message_id: null,
      failure: null,
      receipt: null,
    },
  ],
} as const

/** An example of a bulk action that is running. */
export const bulkActionExample = {
  id: `act_${tail}`,
  action: 'retry',
  status: 'running',
  filter: {
    project_id: projectExample.id,
    created_after: '2026-11-21T09:00:00.000Z',
    created_before: null,
    flow_id: null,
    source_type: null,
    status: null,
    failure_kind: null,
    failure_code: 'rate_limited',
  },
  spread_seconds: 600,
  matched: 1200,
  done: 1190,
  skipped: 10,
  created_at: createdAt,
  completed_at: null,
} as const

/** An example of the fields that an update of an event endpoint requires. */
export const eventEndpointFieldsExample = {
  url: 'https://billing.example.com/flowpost-events',
  events: ['delivery.failed', 'flow.unhealthy'],
  active: true,
  description: 'Billing service',
}

/** An example of an event endpoint. */
export const eventEndpointExample = {
  id: `evp_${tail}`,
  project_id: projectExample.id,
  ...eventEndpointFieldsExample,
  key: null,
  health: { status: 'unknown', code: null, detail: null, since: null, next_attempt_at: null },
  created_at: createdAt,
  updated_at: createdAt,
}

/** An example of an event. */
export const notificationEventExample = {
  id: `evt_${tail}`,
  type: 'notification.settled',
  created_at: createdAt,
  data: {
    id: `ntf_${tail}`,
    project_id: projectExample.id,
    status: 'sent',
    test: false,
    reference: 'order-1042',
    metadata: { customer: 'c-7' },
    created_at: createdAt,
    expires_at: null,
    deliveries: [],
  },
}

/** An example of a recorded settings change. */
export const settingsHistoryExample = {
  id: `his_${tail}`,
  project_id: projectExample.id,
  changed_at: createdAt,
  action: 'update',
  kind: 'flow',
  resource_id: flowExample.id,
  key: 'ops-mail',
  changed_by: `key_${tail}`,
  request_id: '0f8fad5b-d9cb-469f-a165-70867728950e',
  fields: ['/target'],
  before: { key: 'ops-mail', ...flowFieldsExample, target: 'admin@example.com' },
  after: { key: 'ops-mail', ...flowFieldsExample },
}

/** An example of a notification's explanation. */
export const notificationExplanationExample = {
  notification_id: `ntf_${tail}`,
  accepted_at: createdAt,
  request: { flow_id: null, has_target: true },
  flows: [
    {
      flow_id: flowExample.id,
      key: 'ops-mail',
      name: 'Operations by email',
      source_type: 'smtp',
      outcome: 'skipped',
      reason: 'not_targeted',
    },
  ],
  unknown: null,
}
