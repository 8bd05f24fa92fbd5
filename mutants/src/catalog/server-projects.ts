import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const folder = 'apps/api/src/features/projects'

/** Bugs in the server's projects. */
export const serverProjectMutants: readonly Mutant[] = [
  ...inFile(`${folder}/reject-taken.ts`, [
    {
      name: 'a taken project name is an internal error',
      find: 'projects_user_id_name_unique: (cause,',
      replace: 'projects_name_unique: (cause,',
      killedBy: /^projects\.(create|update) 409/,
    },
  ]),
  ...inFile('packages/contract/src/rules/api-error.ts', [
    {
      name: 'the problem for a taken project name does not point to the name',
      find: "errors: [{ in: 'body', pointer: `${prefix}/name`, code: 'invalid_value', message }],",
      replace: '',
      killedBy: /^projects\.create 409/,
    },
  ]),
  ...inFile(`${folder}/project.routes.ts`, [
    {
      name: 'creating a project returns no Location',
      find: 'headers: { Location: `/v1/settings/projects/${project.id}`, ETag: etagOf(project) }',
      replace: 'headers: { ETag: etagOf(project) }',
      killedBy: /^projects\.create 201: creates a project/,
    },
    {
      name: 'creating a project returns no ETag',
      find: 'headers: { Location: `/v1/settings/projects/${project.id}`, ETag: etagOf(project) }',
      replace: 'headers: { Location: `/v1/settings/projects/${project.id}` }',
      killedBy: /^projects\.create 201: returns the same/,
    },
    {
      name: 'renaming a project returns no ETag',
      find: `const project = toProject(row)\n      res.set('ETag', etagOf(project))`,
      replace: 'const project = toProject(row)',
      killedBy: /^projects\.update 200/,
    },
    {
      name: 'reading a project ignores If-None-Match',
      find: `isNotModified(req.get('if-none-match'), etag) ? { status: 304, body: undefined } : { status: 200, body: project }`,
      replace: '{ status: 200, body: project }',
      killedBy: /^projects\.get 304/,
    },
    {
      name: 'If-Match is ignored when a project is deleted by the project_id in the query',
      find: `query.project_id, req.get('if-match'), cancelPending`,
      replace: 'query.project_id, undefined, cancelPending',
      killedBy: /^projects\.deleteByQuery 412/,
    },
    {
      name: 'a page of projects never has a next page',
      find: 'await listProjects(database, principal, limit + 1, after)',
      replace: 'await listProjects(database, principal, limit, after)',
      killedBy: /^projects\.list 200: pages through the projects, oldest first/,
    },
  ]),
  ...inFile(`${folder}/project.queries.ts`, [
    {
      name: 'a credential for one project lists all projects',
      find: '($2::uuid is null or id = $2) and id > $3',
      replace: '($2::uuid is null or $2 is not null) and id > $3',
      killedBy: /^projects\.list 200: lists only the credential's project/,
    },
    {
      name: 'projects are listed newest first',
      find: `and id > $3 order by id \${pageLimit('$4')}`,
      replace: `and id > $3 order by id desc \${pageLimit('$4')}`,
      killedBy: /^projects\.list 200: pages through the projects, oldest first/,
    },
    {
      name: 'projects of other users are listed',
      find: 'where user_id = $1 and ($2::uuid is null',
      replace: `where $1 <> '' and ($2::uuid is null`,
      killedBy: /^projects\.list 200: does not list another user's projects/,
    },
    {
      name: 'projects of other users can be read',
      find: "none: { name: 'find-project', text: `select ${columns} from projects where id = $1 and user_id = $2` }",
      replace: "none: { name: 'find-project', text: `select ${columns} from projects where id = $1 and $2 <> ''` }",
      killedBy: /^projects\.get 404: returns not_found for another user's resource/,
    },
    {
      name: 'flows can be created in projects of other users',
      find: 'user_id = $2 for key share',
      replace: `$2 <> '' for key share`,
      killedBy: /^flows\.create 404: returns not_found for another user's resource/,
    },
    {
      name: 'projects of other users can be renamed',
      find: 'user_id = $2 for update',
      replace: `$2 <> '' for update`,
      killedBy: /^projects\.update 404: returns not_found for another user's resource/,
    },
    {
      name: 'a credential for one project can use another project',
      find: 'if (uuid === undefined || (principal.projectId !== undefined && principal.projectId !== uuid)) throw notFound()',
      replace: 'if (uuid === undefined) throw notFound()',
      killedBy: /^projects\.get 404: returns not_found for a credential bound to another/,
    },
  ]),
  ...inFile(`${folder}/project.serializer.ts`, [
    {
      name: 'updated_at of a project never changes',
      find: 'updated_at: timestamp(row.updated_at)',
      replace: 'updated_at: timestamp(row.created_at)',
      killedBy: /^any 200: sets updated_at/,
    },
  ]),
  ...inFile(`${folder}/update-project.ts`, [
    {
      name: 'a project that is cached still accepts messages for its previous key',
      find: '  transaction.invalidate(projectTag(stored.id))\n',
      replace: '',
      killedBy: /^notifications\.(send 202|preview 200): finds the project and the flow by key/,
    },
    {
      name: 'renaming a project ignores If-Match',
      find: 'requireMatch(ifMatch, () => etagOf(toProject(stored)))',
      replace: 'requireMatch(undefined, () => etagOf(toProject(stored)))',
      killedBy: /^projects\.update 412/,
    },
    {
      name: 'renaming a project does not store updated_at',
      find: '{ name, key, updatedAt: now }',
      replace: '{ name, key }',
      killedBy: /^projects\.update 200/,
    },
  ]),
  ...inFile(`${folder}/delete-project.ts`, [
    {
      name: 'deleting a project does not cancel its pending deliveries',
      find: 'changeOf: (row) => cancelPending(row.id)',
      replace: 'changeOf: () => ({ ahead: async () => {}, rest: async () => {} })',
      killedBy: /^notifications\.cancel 200: cancels pending deliveries when the flow or project is deleted/,
    },
  ]),
  ...inFile(`${folder}/delete-with-pending-change.ts`, [
    {
      name: 'deletions ignore If-Match',
      find: 'requireMatch(ifMatch, () => etagOf(row))',
      replace: 'requireMatch(undefined, () => etagOf(row))',
      killedBy: /^(projects|flows|integrations)\.delete 412/,
    },
    {
      name: 'the keys of a deleted project stay cached',
      find: 'transaction.invalidate(projectTag(project.id))',
      replace: '',
      killedBy: /^projects\.delete 204: immediately revokes the/,
    },
  ]),
]
