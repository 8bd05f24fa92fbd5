import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { ProjectEntity } from '../projects/project.entity.ts'

/** The `integrations` table: the credentials of projects for providers. */
export const IntegrationEntity = defineEntity({
  name: 'Integration',
  tableName: 'integrations',
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
    /** Orders lists by age. Not part of the API. */
    id: p.uuid(),
    /** Stored as given, so that a response can be sent back as a request. */
    settings: p.json<Record<string, unknown>>(),
    /** The names of the secrets that are set, so that responses can list them without decryption. */
    secretNames: p.array().$type<string[]>(),
    /** The secrets as JSON, encrypted for this project and provider; `null` if there are no secrets. */
    secrets: p.blob().nullable(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
    updatedAt: p.datetime().columnType('timestamptz(3)'),
  },
})

/** A row of the `integrations` table. */
export type IntegrationEntity = InferEntity<typeof IntegrationEntity>
