import type { TextType } from '@flowpost/domain'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { ProjectEntity } from '../projects/project.entity.ts'

/** A flow as it is stored. */
export const FlowEntity = defineEntity({
  name: 'Flow',
  tableName: 'flows',
  indexes: [{ name: 'flows_project_id_id_index', properties: ['projectId', 'id'] }],
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(ProjectEntity).mapToPk().fieldName('project_id').deleteRule('cascade').updateRule('no action').index(false as never),
    name: p.text(),
    active: p.boolean(),
    sourceType: p.text(),
    target: p.text(),
    overrideTarget: p.boolean(),
    messageTemplate: p.text(),
    messageTemplateType: p.text().$type<TextType>(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
    updatedAt: p.datetime().columnType('timestamptz(3)'),
  },
})

/** A flow as it is stored. */
export type FlowEntity = InferEntity<typeof FlowEntity>
