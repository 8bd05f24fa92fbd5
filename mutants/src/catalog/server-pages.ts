import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const features = 'apps/api/src/features'

/** Bugs in the server's list pages. */
export const serverPageMutants: readonly Mutant[] = [
  ...inFile(`${features}/projects/project.queries.ts`, [
    {
      name: 'the second page of projects repeats the last project on the first',
      find: 'and id > $3 order by id',
      replace: 'and id >= $3 order by id',
      killedBy: /^projects\.list 200/,
    },
  ]),
  ...inFile(`${features}/flows/flow.queries.ts`, [
    {
      name: 'the second page of flows repeats the last flow on the first',
      find: 'f.project_id = p.id and f.id > $3',
      replace: 'f.project_id = p.id and f.id >= $3',
      killedBy: /^flows\.list 200/,
    },
    {
      name: 'the flows of an unknown project are an empty list',
      find: '  if (rows.length === 0) throw notFound()\n  return rows.filter((row): row is FlowWithHealthRow',
      replace: '  return rows.filter((row): row is FlowWithHealthRow',
      killedBy: /^flows\.list 404/,
    },
  ]),
  ...inFile(`${features}/flows/flow.routes.ts`, [
    {
      name: 'a page of flows never has a next page',
      find: 'params.project_id, limit + 1, after)',
      replace: 'params.project_id, limit, after)',
      killedBy: /^flows\.list 200/,
    },
  ]),
  ...inFile(`${features}/integrations/integration.routes.ts`, [
    {
      name: 'a page of integrations never has a next page',
      find: 'project.id, limit + 1, after)',
      replace: 'project.id, limit, after)',
      killedBy: /^integrations\.list 200/,
    },
    {
      name: "a cursor from one project lists another project's integrations",
      find: 'const filters = { project_id: params.project_id }',
      replace: 'const filters = {}',
      killedBy: /^integrations\.list 400/,
    },
  ]),
  ...inFile(`${features}/api-keys/api-key.routes.ts`, [
    {
      name: 'a page of API keys never has a next page',
      find: 'principal, limit + 1, after)',
      replace: 'principal, limit, after)',
      killedBy: /^apiKeys\.list 200: lists the keys in pages, oldest first/,
    },
  ]),
  ...inFile(`${features}/api-keys/api-key.queries.ts`, [
    {
      name: 'the second page of API keys starts over',
      find: 'principal.projectId ?? null, after ?? lowestUuid, count],',
      replace: 'principal.projectId ?? null, lowestUuid, count],',
      killedBy: /^apiKeys\.list 200: lists the keys in pages, oldest first/,
    },
  ]),
  ...inFile(`${features}/notifications/notification.routes.ts`, [
    {
      name: 'a page of notifications never has a next page',
      find: 'filters, { count: limit + 1, before })',
      replace: 'filters, { count: limit, before })',
      killedBy: /^notifications\.list 200/,
    },
    {
      name: 'a page of deliveries never has a next page',
      find: 'listDeliveries(database, id, limit + 1, before)',
      replace: 'listDeliveries(database, id, limit, before)',
      killedBy: /^notifications\.deliveries 200/,
    },
    {
      name: "a cursor from one notification lists another notification's deliveries",
      find: 'const filters = { notification_id: params.notification_id }',
      replace: 'const filters = {}',
      killedBy: /^notifications\.deliveries 400/,
    },
  ]),
  ...inFile(`${features}/notifications/notification.queries.ts`, [
    {
      name: 'the second page of deliveries repeats the last delivery on the first',
      find: 'where notification_id = $1 and id < $2 order by id desc',
      replace: 'where notification_id = $1 and id <= $2 order by id desc',
      killedBy: /^notifications\.deliveries 200/,
    },
    {
      name: 'embedded deliveries are the newest ones',
      find: 'where notification_id = n.id order by id limit ${maxEmbeddedDeliveries}',
      replace: 'where notification_id = n.id order by id desc limit ${maxEmbeddedDeliveries}',
      killedBy: /^notifications\.deliveries 200: returns 100 deliveries per/,
    },
  ]),
]
