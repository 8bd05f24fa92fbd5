import type { Migration } from '../migrate/migration.ts'

/** Adds the fields of a notification that its sender defines. They are null for most notifications, and then take no space. */
export const notificationFields: Migration = {
  name: '20261124000100-notification-fields',
  statements: ['alter table notifications add column reference text, add column metadata json, add column expires_at timestamptz(3)'],
}
