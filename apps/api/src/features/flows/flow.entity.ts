import type { FlowHealth, TextType } from '@flowpost/domain'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { ProjectEntity } from '../projects/project.entity.ts'

/** The `flows` table: the provider, target and message template with which a project sends messages. */
export const FlowEntity = defineEntity({
  name: 'Flow',
  tableName: 'flows',
  uniques: [{ name: 'flows_project_id_key_unique', properties: ['projectId', 'key'] }],
  indexes: [{ name: 'flows_project_id_id_index', properties: ['projectId', 'id'] }],
  properties: {
    id: p.uuid().primary(),
    projectId: () =>
      p
        .manyToOne(ProjectEntity)
        .mapToPk()
        .fieldName('project_id')
        .deleteRule('cascade')
        .updateRule('no action')
        .index(false as never),
    name: p.text(),
    key: p.text().nullable(),
    active: p.boolean(),
    sourceType: p.text(),
    target: p.text(),
    overrideTarget: p.boolean(),
    messageTemplate: p.text(),
    messageTemplateType: p.text().$type<TextType>(),
    /** The health consists of this field and the following ones, up to `failuresInRow`; see `flow-health.ts`. */
    healthStatus: p.text().$type<FlowHealth['status']>().default('unknown'),
    healthCode: p.text().nullable(),
    healthDetail: p.text().nullable(),
    healthSince: p.datetime().columnType('timestamptz(3)').nullable(),
    checkedAt: p.datetime().columnType('timestamptz(3)').nullable(),
    failingKind: p.text().$type<'target' | 'credential'>().nullable(),
    failuresInRow: p.integer().default(0),
    createdAt: p.datetime().columnType('timestamptz(3)'),
    updatedAt: p.datetime().columnType('timestamptz(3)'),
  },
})

/** A row of the `flows` table. */
export type FlowEntity = InferEntity<typeof FlowEntity>
