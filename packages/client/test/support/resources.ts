import type { Flow, NotificationWithAttempts, Project } from '../../src/index.ts'

const at = '2026-11-21T09:30:00.000Z'

/** A project as returned by the server. */
export const project: Project = { id: 'prj_01jdv3k2m8f6wbn0q4z5t7x9ya', name: 'billing', key: null, created_at: at, updated_at: at }

/** A flow as returned by the server, with the fields that these tests use. */
export const flow = {
  id: 'flw_01jdv3k2m8f6wbn0q4z5t7x9ya',
  project_id: project.id,
  name: 'Operations by mail',
  active: true,
  source_type: 'smtp',
  target: 'ops@example.com',
  override_target: false,
  message_template: '{{message}}',
  message_template_type: 'text/plain',
  warnings: [],
  created_at: at,
  updated_at: at,
} as Partial<Flow> as Flow

/** A notification as returned by the server. */
export const notification: NotificationWithAttempts = {
  id: 'ntf_01jdv3k2m8f6wbn0q4z5t7x9ya',
  project_id: project.id,
  status: 'queued',
  subject: 'Invoice 42',
  test: false,
  reference: null,
  metadata: {},
  created_at: at,
  expires_at: null,
  deliveries: [],
}

/** The request body of a notification. */
export const message = { project_id: project.id, subject: 'Invoice 42', message: 'Your invoice is ready.' }
