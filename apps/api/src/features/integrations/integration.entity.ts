import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { ProjectEntity } from '../projects/project.entity.ts'

/** A project's own credentials for a provider, as they are stored. */
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
    /** Orders a list by age. Not shown. */
    id: p.uuid(),
    /** As they were given: what is read can be written back. */
    settings: p.json<Record<string, unknown>>(),
    /** Which secrets are set, so that a read opens nothing. */
    secretNames: p.array().$type<string[]>(),
    /** The secrets as JSON, sealed for this project and provider; `null` when none is set. */
    secrets: p.blob().nullable(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
    updatedAt: p.datetime().columnType('timestamptz(3)'),
  },
})

/** A project's own credentials for a provider, as they are stored. */
export type IntegrationEntity = InferEntity<typeof IntegrationEntity>
