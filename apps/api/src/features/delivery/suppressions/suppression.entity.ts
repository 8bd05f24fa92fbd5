import { defineEntity, p } from '@mikro-orm/core'
import { ProjectEntity } from '../../projects/project.entity.ts'

/** The `suppressions` table: the recipients to whom a project sends nothing. Recipients are looked up by digest only. */
export const SuppressionEntity = defineEntity({
  name: 'Suppression',
  tableName: 'suppressions',
  uniques: [{ name: 'suppressions_project_id_digest_source_type_unique', properties: ['project', 'digest', 'sourceType'] }],
  indexes: [{ name: 'suppressions_project_id_id_index', properties: ['project', 'id'] }],
  properties: {
    id: p.uuid().primary(),
    project: () =>
      p
        .manyToOne(ProjectEntity)
        .mapToPk()
        .fieldName('project_id')
        .deleteRule('cascade')
        .updateRule('no action')
        .index(false as never),
    /** The recipient's digest. See `Recipients.identityOf`. */
    digest: p.uuid(),
    /** The only provider that the suppression applies to; empty if it applies to all providers. */
    sourceType: p.text(),
    /** The canonical address, for display; `null` if the recipient was erased. */
    target: p.text().nullable(),
    reason: p.text(),
    source: p.text(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
  },
})
