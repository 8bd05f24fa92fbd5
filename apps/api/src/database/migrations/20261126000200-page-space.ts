import type { Migration } from '../migrate/migration.ts'

/**
 * Leaves more free space in the pages of deliveries and attempts, so that more of their updates are heap-only and change no
 * index: docs/decisions/0011-indexes.md. Only new pages are affected.
 */
export const pageSpace: Migration = {
  name: '20261126000200-page-space',
  statements: ['alter table deliveries set (fillfactor = 50)', 'alter table attempts set (fillfactor = 70)'],
}
