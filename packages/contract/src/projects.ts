import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { reads, writes } from './access.ts'
import { projectExample } from './examples.ts'
import { conditionalRead, conditionalWrite, idempotentWrite } from './headers.ts'
import { Id, IdParam, PageOf, pageQuery, Text, Timestamp } from './primitives.ts'

const projectName = Text({ max: 255, normalize: true, refuse: 'control characters' }).meta({
  description: 'Unique among the projects of the user. Trimmed and brought to NFC; 1 to 255 characters, no control characters.',
  examples: ['billing'],
})

/** A project: a name under which a user keeps flows. */
export const Project = z
  .object({
    id: Id('project', 'The identifier of the project.'),
    name: z.string().meta({ description: 'Unique among the projects of the user.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Project', description: 'A project: a name under which a user keeps flows.', examples: [projectExample] })

/** The body that creates a project. */
export const ProjectCreate = z
  .strictObject({ name: projectName })
  .meta({ id: 'ProjectCreate', description: 'The fields of a new project.', examples: [{ name: 'billing' }] })

/** The body that updates a project. */
export const ProjectUpdate = z
  .strictObject({ name: projectName })
  .meta({ id: 'ProjectUpdate', description: 'All fields of a project that can be changed.', examples: [{ name: 'billing-eu' }] })

/** A page of projects. */
export const ProjectPage = PageOf('ProjectPage', Project)

const projectParams = z.object({ project_id: IdParam('project', 'The identifier of the project.') })

const c = initContract()

const createAccess = writes('settings:write', ['project_name_taken', ...idempotentWrite.problems])
const listAccess = reads('settings:read', ['invalid_cursor'])
const getAccess = reads('settings:read', ['not_found'])
const updateAccess = writes('settings:write', ['not_found', 'project_name_taken', 'etag_mismatch'])
const deleteAccess = reads('settings:write', ['not_found', 'etag_mismatch'])

/** The operations on projects. */
export const projects = c.router(
  {
    create: {
      method: 'POST',
      path: '/v1/settings/projects',
      summary: 'Create a project',
      description: 'Makes an empty project. A user can have any number of projects; their names are unique for that user.',
      headers: idempotentWrite.headers,
      body: ProjectCreate,
      responses: { 201: Project, ...createAccess.responses },
      metadata: { ...createAccess.metadata, idempotent: true, unbound: true },
    },
    list: {
      method: 'GET',
      path: '/v1/settings/projects',
      summary: 'List projects',
      description: 'Lists the projects of the user, oldest first.',
      query: z.strictObject(pageQuery),
      responses: { 200: ProjectPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
    get: {
      method: 'GET',
      path: '/v1/settings/projects/:project_id',
      summary: 'Get a project',
      description: 'Reads one project.',
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
      description: 'Renames a project. With `If-Match` only when nobody has changed it meanwhile.',
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
        'Deletes a project with its flows. What is still queued for it is canceled, not sent; its delivery log stays readable until retention ends.',
      pathParams: projectParams,
      query: z.strictObject({}),
      headers: conditionalWrite,
      responses: { 204: c.noBody(), ...deleteAccess.responses },
      metadata: { ...deleteAccess.metadata, unbound: true },
    },
    deleteByQuery: {
      method: 'DELETE',
      path: '/v1/settings/projects',
      summary: 'Delete a project named in the query',
      description: 'The same as deleting it by its path. Without `project_id` nothing is deleted.',
      query: z.strictObject({ project_id: IdParam('project', 'The identifier of the project to delete.') }),
      headers: conditionalWrite,
      responses: { 204: c.noBody(), ...deleteAccess.responses },
      metadata: { ...deleteAccess.metadata, unbound: true },
    },
  },
  { strictStatusCodes: true },
)
