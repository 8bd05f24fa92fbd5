import type { Migration } from '../migrate/migration.ts'

/** Adds the table of the nonces of received reports. A report with a stored nonce is rejected. */
export const reportNonces: Migration = {
  name: '20261125000420-report-nonces',
  statements: [
    'create table report_nonces (digest uuid not null, expires_at timestamptz(3) not null, constraint report_nonces_pkey primary key (digest))',
    'create index report_nonces_expires_at_index on report_nonces (expires_at)',
  ],
}
