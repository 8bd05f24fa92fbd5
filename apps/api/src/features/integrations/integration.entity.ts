import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { ProjectEntity } from '../projects/project.entity.ts'

/** The `integrations` table: projects' credentials for providers. */
export const IntegrationEntity = defineEntity({
  name: 'Integration',
  tableName: 'integrations',
  indexes: [
    {
      name: 'integrations_inbound_hash_index',
      expression: `create index "integrations_inbound_hash_index" on "integrations" ("inbound_hash") where "inbound_hash" is not null`,
    },
    {
      name: 'integrations_previous_inbound_hash_index',
      expression: `create index "integrations_previous_inbound_hash_index" on "integrations" ("previous_inbound_hash") where "previous_inbound_hash" is not null`,
    },
  ],
  properties: {
    projectId: () =>
      p
        .manyToOne(ProjectEntity)
        .primary()
        .mapToPk()
        .fieldName('project_id')
        .deleteRule('cascade')
        .updateRule('no action')
        .index(false as never),
    sourceType: p.text().primary(),
    /** The internal id. Lists are sorted by it, oldest first. The API identifies an integration by project and provider. */
    id: p.uuid(),
    /** The settings as the client sent them. A client that reads the settings can therefore send them back unchanged. */
    settings: p.json<Record<string, unknown>>(),
    /** The names of the secrets that are set, so that responses can list them without decryption. */
    secretNames: p.array().$type<string[]>(),
    /** The secrets as JSON, encrypted for this project and provider; `null` if there are no secrets. */
    secrets: p.blob().nullable(),
    /** The SHA-256 hash of the token in the inbound address; `null` if there is no inbound address. */
    inboundHash: p.blob().nullable(),
    inboundRotatedAt: p.datetime().columnType('timestamptz(3)').nullable(),
    /** The hash of the token that was replaced in the last rotation. */
    previousInboundHash: p.blob().nullable(),
    previousInboundExpiresAt: p.datetime().columnType('timestamptz(3)').nullable(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
    updatedAt: p.datetime().columnType('timestamptz(3)'),
  },
})

/** A row of the `integrations` table. */
export type IntegrationEntity = InferEntity<typeof IntegrationEntity>
