import type { Migration } from '../migrate/migration.ts'

/** Adds the notification fields that the sender defines. They are null, and take no space, for most notifications. */
export const notificationFields: Migration = {
  name: '20261124000100-notification-fields',
  statements: ['alter table notifications add column reference text, add column metadata json, add column expires_at timestamptz(3)'],
}
