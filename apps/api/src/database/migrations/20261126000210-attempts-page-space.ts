import type { Migration } from '../migrate/migration.ts'

/** Leaves more free space in the pages of the `attempts` table, for the same reason as `deliveriesPageSpace`. */
export const attemptsPageSpace: Migration = {
  name: '20261126000210-attempts-page-space',
  statements: ['alter table attempts set (fillfactor = 70)'],
}
