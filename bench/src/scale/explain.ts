import { withClient } from '../database/bench-databases.ts'

/** The statements whose cost could grow with the log, as the server runs them. */
const statements: readonly (readonly [string, string])[] = [
  ['a flow', `select f.* from flows f join projects p on p.id = f.project_id where f.id = (select id from flows limit 1)`],
  [
    'a page of the flows of a project',
    `select f.* from projects p left join lateral (select * from flows f where f.project_id = p.id order by f.id limit 101) f on true
     where p.id = (select id from projects limit 1)`,
  ],
  [
    'a page of the projects of a user',
    `select * from projects where user_id = 'user 7' and id > '00000000-0000-0000-0000-000000000000' order by id limit 101`,
  ],
  [
    'a page of the notifications of a user',
    `select * from notifications where user_id = 'user 7' and id < 'ffffffff-ffff-ffff-ffff-ffffffffffff' order by id desc limit 101`,
  ],
  [
    'a page of the failed ones',
    `select * from notifications where user_id = 'user 7' and status = 'failed' and id < 'ffffffff-ffff-ffff-ffff-ffffffffffff' order by id desc limit 101`,
  ],
  [
    'what a project has waiting',
    `select count(*) from (select 1 from deliveries where project_id = (select id from projects limit 1)
       and status in ('queued', 'sending', 'retrying') limit 1000) counted`,
  ],
  [
    'what retention empties',
    `select id from notifications where settled_at < now() - interval '79 days' and subject is not null order by settled_at limit 500`,
  ],
  ['what retention removes', `select id from notifications where settled_at < now() - interval '79 days' order by settled_at limit 500`],
]

/** The plans of these statements, each run once before. */
export const explainAll = (databaseUrl: string): Promise<string> =>
  withClient(databaseUrl, async (client) => {
    const parts: string[] = []
    for (const [title, text] of statements) {
      await client.query(text)
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (analyze, costs off, timing off, buffers) ${text}`)
      parts.push(`${title}\n${rows.map((row) => `    ${row['QUERY PLAN']}`).join('\n')}`)
    }
    return parts.join('\n\n')
  })
