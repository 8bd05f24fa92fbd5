import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { declareRead, declareWrite } from './access.ts'
import { projectExample } from './examples.ts'
import { conditionalRead, conditionalWrite, idempotentWrite } from './headers.ts'
import { Id, IdParam, OptionalKey, PageOf, pageQuery, Text, TimestampField } from './primitives.ts'

const projectName = Text({ max: 255, normalize: true, forbid: 'control characters' }).meta({
  description:
    "The name of the project, 1 to 255 characters without control characters. Trimmed and normalized to Unicode NFC. Must be unique among the user's projects.",
  examples: ['billing'],
})

const key = OptionalKey(
  "A key that identifies the project in files and code: 1 to 64 lower-case letters, digits and hyphens. Must be unique among the user's projects. `null` removes the key.",
)

/** A project: a named group of flows. */
export const Project = z
  .object({
    id: Id('project', 'The id of the project.'),
    name: z.string().meta({ description: "The name of the project. It is unique among the user's projects." }),
    key: z
      .string()
      .nullable()
      .meta({
        description:
          "The key that identifies the project in files and code; `null` if it has none. It is unique among the user's projects.",
        examples: ['billing'],
      }),
    created_at: TimestampField('When the project was created.'),
    updated_at: TimestampField('When the project was last changed.'),
  })
  .meta({ id: 'Project', description: 'A project: a named group of flows.', examples: [projectExample] })

/** The request body that creates a project. */
export const ProjectCreate = z
  .strictObject({ name: projectName, key })
  .meta({ id: 'ProjectCreate', description: 'The fields of a new project.', examples: [{ name: 'billing' }] })

/** The request body that updates a project. */
export const ProjectUpdate = z.strictObject({ name: projectName, key }).meta({
  id: 'ProjectUpdate',
  description: 'The fields of a project that can be changed. An omitted `key` stays as it is.',
  examples: [{ name: 'billing-eu' }],
})

/** A page of projects. */
export const ProjectPage = PageOf('ProjectPage', Project)

const projectParams = z.object({ project_id: IdParam('project', 'The id of the project.') })

const c = initContract()

const createAccess = declareWrite('settings:write', ['project_name_taken', 'key_taken', ...idempotentWrite.problems])
const listAccess = declareRead('settings:read', ['invalid_cursor'])
const getAccess = declareRead('settings:read', ['not_found'])
const updateAccess = declareWrite('settings:write', ['not_found', 'project_name_taken', 'key_taken', 'etag_mismatch'])
const deleteAccess = declareRead('settings:write', ['not_found', 'etag_mismatch'])

/** The project operations. */
export const projects = c.router(
  {
    create: {
      method: 'POST',
      path: '/v1/settings/projects',
      summary: 'Create a project',
      description: 'Creates a project without flows. A user can have any number of projects, each with a different name.',
      headers: idempotentWrite.headers,
      body: ProjectCreate,
      responses: { 201: Project, ...createAccess.responses },
      metadata: { ...createAccess.metadata, idempotent: true, unbound: true },
    },
    list: {
      method: 'GET',
      path: '/v1/settings/projects',
      summary: 'List projects',
      description: "Returns the user's projects, oldest first.",
      query: z.strictObject(pageQuery),
      responses: { 200: ProjectPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
    get: {
      method: 'GET',
      path: '/v1/settings/projects/:project_id',
      summary: 'Get a project',
      description: 'Returns one project.',
      pathParams: projectParams,
      query: z.strictObject({}),
      headers: conditionalRead,
      responses: { 200: Project, 304: c.noBody(), ...getAccess.responses },
      metadata: getAccess.metadata,
    },
    update: {
      method: 'PUT',
      path: '/v1/settings/projects/:project_id',
      summary: 'Update a project',
      description:
        'Renames a project, and changes its key if the body contains `key`. To apply the change only if the project has not changed since you read it, send its `ETag` in `If-Match`.',
      pathParams: projectParams,
      headers: conditionalWrite,
      body: ProjectUpdate,
      responses: { 200: Project, ...updateAccess.responses },
      metadata: updateAccess.metadata,
    },
    delete: {
      method: 'DELETE',
      path: '/v1/settings/projects/:project_id',
      summary: 'Delete a project',
      description:
        'Deletes a project with its flows and cancels its pending deliveries. Its notifications and deliveries remain readable until their retention period ends.',
      pathParams: projectParams,
      query: z.strictObject({}),
      headers: conditionalWrite,
      responses: { 204: c.noBody(), ...deleteAccess.responses },
      metadata: { ...deleteAccess.metadata, unbound: true },
    },
    deleteByQuery: {
      method: 'DELETE',
      path: '/v1/settings/projects',
      summary: 'Delete a project by query parameter',
      description:
        'Deletes the project with the id `project_id`. The effect is the same as that of `DELETE /v1/settings/projects/{project_id}`. A request without `project_id` is rejected.',
      query: z.strictObject({ project_id: IdParam('project', 'The id of the project to delete.') }),
      headers: conditionalWrite,
      responses: { 204: c.noBody(), ...deleteAccess.responses },
      metadata: { ...deleteAccess.metadata, unbound: true },
    },
  },
  { strictStatusCodes: true },
)
