import type { EntitySchema, Options } from '@mikro-orm/core'
import { Migrator } from '@mikro-orm/migrations'
import { InitialMigration } from './migrations/20261121000000-initial.ts'
import { IntegrationsMigration } from './migrations/20261121000100-integrations.ts'
import { LiveApiKeysMigration } from './migrations/20261121000200-live-api-keys.ts'
import { RemovedCredentialsMigration } from './migrations/20261121000300-removed-credentials.ts'
import { KeyRootsMigration } from './migrations/20261121000400-key-roots.ts'
import { VacuumLargeTablesMigration } from './migrations/20261121000500-vacuum-large-tables.ts'
import { ContentsMigration } from './migrations/20261122000000-contents.ts'
import { DeliveryJobsMigration } from './migrations/20261122000100-delivery-jobs.ts'
import { ReadyAtMigration } from './migrations/20261123000100-ready-at.ts'

/** The entities of all features, as listed in `entities.ts`. */
export type Entities = readonly EntitySchema[]

/** The options that both database drivers share, including the migrations. The entities are added later. */
export const ormOptions = {
  extensions: [Migrator],
  forceUtcTimezone: true,
  ensureDatabase: false,
  migrations: {
    tableName: 'flowpost_migrations',
    snapshot: false,
    silent: true,
    transactional: true,
    allOrNothing: true,
    migrationsList: [
      { name: '20261121000000-initial', class: InitialMigration },
      { name: '20261121000100-integrations', class: IntegrationsMigration },
      { name: '20261121000200-live-api-keys', class: LiveApiKeysMigration },
      { name: '20261121000300-removed-credentials', class: RemovedCredentialsMigration },
      { name: '20261121000400-key-roots', class: KeyRootsMigration },
      { name: '20261121000500-vacuum-large-tables', class: VacuumLargeTablesMigration },
      { name: '20261122000000-contents', class: ContentsMigration },
      { name: '20261122000100-delivery-jobs', class: DeliveryJobsMigration },
      { name: '20261123000100-ready-at', class: ReadyAtMigration },
    ],
  },
} satisfies Partial<Options>
