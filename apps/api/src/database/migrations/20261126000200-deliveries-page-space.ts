import type { Migration } from '../migrate/migration.ts'

/**
 * Leaves more free space in the pages of the `deliveries` table, so that more updates are heap-only and change no index:
 * docs/decisions/0011-indexes.md. Only new pages are affected.
 */
export const deliveriesPageSpace: Migration = {
  name: '20261126000200-deliveries-page-space',
  statements: ['alter table deliveries set (fillfactor = 50)'],
}
