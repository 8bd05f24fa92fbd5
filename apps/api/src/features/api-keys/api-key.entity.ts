import type { KeyMode, Scope } from '@flowpost/contract'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { ProjectEntity } from '../projects/project.entity.ts'

/** The `api_keys` table. It stores a hash of each token, never the token itself. */
export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  indexes: [
    { name: 'api_keys_live_user_id_id_index', properties: ['userId', 'id'], where: '"revoked_at" is null' },
    { name: 'api_keys_project_id_index', properties: ['projectId'] },
    { name: 'api_keys_parent_id_index', properties: ['parentId'] },
  ],
  properties: {
    id: p.uuid().primary(),
    userId: p.text(),
    name: p.text(),
    /** The hash of the whole token, as `hashToken` returns it. */
    tokenHash: p.blob().unique('api_keys_token_hash_unique'),
    scopes: p.array().$type<Scope[]>(),
    mode: p.text().$type<KeyMode>().default('live'),
    projectId: () =>
      p
        .manyToOne(ProjectEntity)
        .mapToPk()
        .fieldName('project_id')
        .nullable()
        .deleteRule('cascade')
        .updateRule('no action')
        .index(false as never),
    parentId: p.uuid().nullable(),
    /** The oldest ancestor of the key; `null` if the key has no parent. */
    rootId: p.uuid().nullable(),
    /**
     * Whether the key comes from `FLOWPOST_BOOTSTRAP_KEYS`. If the variable is set but no longer lists the key, the server
     * deletes the key at startup, unless the key is revoked.
     */
    bootstrap: p.boolean(),
    expiresAt: p.datetime().columnType('timestamptz(3)').nullable(),
    revokedAt: p.datetime().columnType('timestamptz(3)').nullable(),
    lastUsedAt: p.datetime().columnType('timestamptz(3)').nullable(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
  },
})

/** A row of the `api_keys` table. */
export type ApiKeyEntity = InferEntity<typeof ApiKeyEntity>
