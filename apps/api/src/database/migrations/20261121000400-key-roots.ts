import type { Migration } from '../migrate/migration.ts'

/**
 * Stores the root key of each child key. The rate limit counts requests per root key, and must not walk up the key tree
 * for each request.
 */
export const keyRoots: Migration = {
  name: '20261121000400-key-roots',
  statements: [
    'alter table api_keys add column root_id uuid null',
    `with recursive tree as (
         select id, id as root_id from api_keys where parent_id is null
         union all select child.id, tree.root_id from api_keys child join tree on child.parent_id = tree.id
       )
       update api_keys set root_id = tree.root_id from tree where tree.id = api_keys.id and api_keys.parent_id is not null`,
  ],
}
