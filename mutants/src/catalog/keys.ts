import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const features = 'apps/api/src/features'
const mock = 'packages/testing/src/features'

/** Bugs in the keys of projects, flows and event endpoints. */
export const keyMutants: readonly Mutant[] = [
  ...inFile('packages/contract/src/primitives.ts', [
    {
      name: 'a key may begin with a hyphen',
      find: 'keyPattern = /^[a-z0-9][a-z0-9-]{0,63}$/',
      replace: 'keyPattern = /^[a-z0-9-]{1,64}$/',
      killedBy: /^projects\.create 422: returns an issue for an invalid project key/,
    },
    {
      name: 'a key may have 65 characters',
      find: 'keyPattern = /^[a-z0-9][a-z0-9-]{0,63}$/',
      replace: 'keyPattern = /^[a-z0-9][a-z0-9-]{0,64}$/',
      killedBy: /^projects\.create 422: returns an issue for an invalid project key/,
    },
  ]),
  ...inFile('packages/contract/src/rules/api-error.ts', [
    {
      name: 'the problem for a taken key does not point to the key',
      find: "errors: [{ in: 'body', pointer: `${prefix}/key`, code: 'invalid_value', message }],",
      replace: '',
      killedBy: /^(projects|flows)\.create 409: rejects a key/,
    },
  ]),
  ...inFile(`${features}/projects/reject-taken.ts`, [
    {
      name: 'a taken project key is an internal error',
      find: 'projects_user_id_key_unique: (cause,',
      replace: 'projects_key_unique: (cause,',
      killedBy: /^projects\.(create|update) 409: rejects a key/,
    },
    {
      name: 'a taken flow key is an internal error',
      find: 'flows_project_id_key_unique: (cause)',
      replace: 'flows_key_unique: (cause)',
      killedBy: /^flows\.(create|patch) 409/,
    },
  ]),
  ...inFile('packages/contract/src/rules/send-address.ts', [
    {
      name: 'a notification may name its project by both id and key',
      find: 'fields[id] !== undefined && fields[key] !== undefined',
      replace: 'fields[id] === null && fields[key] !== undefined',
      killedBy: /^notifications\.(send|preview) 422: rejects a request that names a project or flow by/,
    },
  ]),
  ...inFile(`${features}/notifications/resolve-project-and-flow.ts`, [
    {
      name: 'an unknown flow key triggers all flows',
      find: 'if (body.flow !== undefined && flowId === undefined) return undefined',
      replace: '',
      killedBy: /^notifications\.(send|preview) 404: returns not_found for an unknown project or flow key/,
    },
  ]),
  ...inFile(`${features}/projects/project.queries.ts`, [
    {
      name: 'a bound credential finds another project by its key',
      find: 'return row && (principal.projectId ?? row.id) === row.id ? row : undefined',
      replace: 'return row',
      killedBy: /^notifications\.preview 404: returns not_found for an unknown project or flow key/,
    },
  ]),
  ...inFile(`${features}/projects/update-project.ts`, [
    {
      name: 'renaming a project removes its key',
      find: 'key = stored.key }',
      replace: 'key = null }',
      killedBy: /^projects\.update 200: keeps, changes and removes a project's/,
    },
  ]),
  ...inFile(`${features}/projects/create-project.ts`, [
    {
      name: 'the key of a new project is not stored',
      find: '    key: row.key,',
      replace: '    key: null,',
      killedBy: /^projects\.create 201: stores a project's/,
    },
  ]),
  ...inFile(`${features}/flows/create-flow.ts`, [
    {
      name: 'the key of a new flow is not stored',
      find: '    key: row.key,',
      replace: '    key: null,',
      killedBy: /^flows\.create 201: stores a flow's/,
    },
  ]),
  ...inFile(`${features}/flows/update-flow.ts`, [
    {
      name: 'a PATCH of a flow does not store its key',
      find: '        key: row.key,\n',
      replace: '',
      killedBy: /^flows\.patch 200: changes and removes a flow's/,
    },
  ]),
  ...inFile(`${mock}/flows.ts`, [
    {
      name: 'the mock rejects a flow key that a flow of another project has',
      find: 'key === flow.key && project_id === flow.project_id',
      replace: 'key === flow.key',
      killedBy: /^flows\.create 201: stores a flow's/,
    },
    {
      name: 'the mock accepts a taken key in a PATCH of a flow',
      find: 'requireAvailableKey(context, after)',
      replace: '',
      killedBy: /^flows\.patch 409/,
    },
  ]),
  ...inFile(`${mock}/projects.ts`, [
    {
      name: 'the mock rejects a project key that a project of another user has',
      find: 'key !== null && project.userId === userId',
      replace: 'key !== null',
      killedBy: /^projects\.create 201: accepts the same project key for two users/,
    },
    {
      name: 'the mock removes the key of a renamed project',
      find: 'key = before.key }',
      replace: 'key = null }',
      killedBy: /^projects\.update 200: keeps, changes and removes a project's/,
    },
  ]),
  ...inFile(`${features}/events/update-endpoint.ts`, [
    {
      name: "a PUT without a key removes an event endpoint's key",
      find: 'key = stored.key }',
      replace: 'key = null }',
      killedBy: /^eventEndpoints\.update 200: keeps, changes and removes an event/,
    },
  ]),
  ...inFile(`${features}/events/create-endpoint.ts`, [
    {
      name: 'the key of a new event endpoint is not stored',
      find: 'body.key ?? null',
      replace: 'null',
      killedBy: /^eventEndpoints\.create 201: stores an event/,
    },
  ]),
  ...inFile(`${mock}/event-endpoints.ts`, [
    {
      name: 'the mock accepts a taken key for an event endpoint',
      find: 'endpoint.key === key && endpoint.id !== ownId',
      replace: 'endpoint.key === key && endpoint.id === ownId',
      killedBy: /^eventEndpoints\.create 409: rejects a key/,
    },
  ]),
]
