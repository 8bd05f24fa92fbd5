import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { collectIds, maxSharedPages } from '../pages.ts'
import { samples } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

/** Scenarios about projects. */
export const projectScenarios: readonly Scenario[] = [
  scenario('projects.create', 201, 'creates a project with a trimmed, NFC-normalized name', async (context) => {
    const name = context.uniqueName()
    const created = await context.client.projects.create({ name: `  ${name} e\u0301 ` }).withResponse()
    context.onCleanup(({ client }) => client.projects.delete(created.data.id))
    assertIncludes(created.data, { name: `${name} \u00e9` }, 'project')
    assertEqual(created.data.updated_at, created.data.created_at, 'updated_at')
    assertEqual(created.response.headers.get('location'), `/v1/settings/projects/${created.data.id}`, 'the Location header')
    assertEqual(await context.client.projects.get(created.data.id), created.data, 'the project, read again')
  }),

  scenario('projects.create', 409, 'rejects a name that is already taken', async (context) => {
    const project = await context.createProject()
    const error = await context.expectFailure(context.client.projects.create({ name: ` ${project.name} ` }), 409, 'project_name_taken')
    assertIncludes(error.errors, [{ in: 'body', pointer: '/name' }], 'errors')
    const composed = await context.client.projects.create({ name: `${context.uniqueName()} \u00e9` })
    context.onCleanup(({ client }) => client.projects.delete(composed.id))
    const decomposed = { name: composed.name.normalize('NFD') }
    await context.expectFailure(context.client.projects.create(decomposed), 409, 'project_name_taken')
  }),

  scenario(
    'projects.create',
    201,
    'accepts the same name for two users',
    async (context) => {
      const project = await context.createProject()
      const other = context.otherClient()
      const created = await other.projects.create({ name: project.name })
      context.onCleanup(({ otherClient }) => otherClient().projects.delete(created.id))
      assertEqual(created.name, project.name, 'name')
    },
    ['otherApiKey'],
  ),

  ...(['projects.create', 'projects.update'] as const).map((operation) =>
    scenario(operation, operation === 'projects.create' ? 201 : 200, 'accepts a taken name in different letter case', async (context) => {
      const lower = await context.createProject()
      const name = lower.name.toUpperCase()
      const upper =
        operation === 'projects.create'
          ? await context.client.projects.create({ name })
          : await context.client.projects.update((await context.createProject()).id, { name })
      context.onCleanup(({ client }) => client.projects.delete(upper.id))
      assertEqual(upper.name, name, 'name')
      assertEqual((await context.client.projects.get(lower.id)).name, lower.name, 'the name of the other project')
    }),
  ),

  scenario('projects.create', 201, 'accepts only one of several concurrent requests with the same name', async (context) => {
    const name = context.uniqueName()
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => context.client.projects.create({ name })))
    for (const result of results)
      if (result.status === 'fulfilled') context.onCleanup(({ client }) => client.projects.delete(result.value.id))
    const rejected = results.filter((result) => result.status === 'rejected' && result.reason.code === 'project_name_taken')
    assertEqual(rejected.length, 7, 'number of rejected requests')
  }),

  ...(['projects.create', 'projects.delete', 'projects.deleteByQuery'] as const).map((operation) =>
    scenario(operation, 403, 'rejects a credential bound to a project, even if the request is invalid', async (context) => {
      const project = await context.createProject()
      const { key } = await context.createKey({ project_id: project.id })
      const sample = await samples[operation](context)
      await context.http.expect(operation, 403, { ...sample, key }, 'scope_missing')
      await context.http.expect(operation, 403, { ...sample, query: { colour: 'red' }, key }, 'scope_missing')
    }),
  ),

  scenario('projects.create', 422, 'returns an issue for an invalid name', async (context) => {
    for (const [name, code] of [
      ['', 'too_short'],
      ['   ', 'too_short'],
      ['x'.repeat(256), 'too_long'],
      ['a\nb', 'invalid_text'],
      ['a\u0000b', 'invalid_text'],
      [7, 'invalid_type'],
    ] as const) {
      const response = await context.http.expect('projects.create', 422, { json: { name } }, 'validation_failed')
      assertIncludes(response.json.errors, [{ in: 'body', pointer: '/name', code }], `errors for ${JSON.stringify(name)}`)
    }
  }),

  scenario('projects.list', 200, 'pages through the projects, oldest first', async (context) => {
    const created = [await context.createProject(), await context.createProject(), await context.createProject()]
    // The three projects created here are the last ones in the list, which may contain many others. `limit` is one less than the
    // number of all projects, so usually only the third project is on the second page.
    const all = (await collectIds(context.client.projects.list({ limit: 1000 }), maxSharedPages)).flat()
    const limit = Math.min(1000, all.length - 1)
    const pages = await collectIds(context.client.projects.list({ limit }), maxSharedPages)
    assert(pages.length > 1, `a list of ${all.length} projects with a limit of ${limit} must have more than one page`)
    for (const { length } of pages) assert(length <= limit, `a page must have at most ${limit} projects`, length)
    const own = pages.flat().filter((id) => created.some((project) => project.id === id))
    assertEqual(
      own,
      created.map(({ id }) => id),
      'the created project ids, in list order',
    )
  }),

  scenario(
    'projects.list',
    200,
    "does not list another user's projects",
    async (context) => {
      const project = await context.createProject()
      const listed = (await collectIds(context.otherClient().projects.list({ limit: 1000 }), maxSharedPages)).flat()
      assert(!listed.includes(project.id), "the list must not contain another user's project")
    },
    ['otherApiKey'],
  ),

  scenario('projects.list', 200, "lists only the credential's project", async (context) => {
    const [project] = [await context.createProject(), await context.createProject()]
    const { key } = await context.createKey({ project_id: project.id })
    const response = await context.http.expect('projects.list', 200, { key })
    assertEqual(
      response.json.data.map(({ id }: { id: string }) => id),
      [project.id],
      'the listed ids',
    )
  }),

  scenario('projects.get', 200, 'returns a project with its ETag', async (context) => {
    const project = await context.createProject()
    const read = await context.client.projects.get(project.id).withResponse()
    assertEqual(read.data, project, 'project')
    assert(read.response.headers.get('etag'), 'the response must have an ETag')
  }),

  scenario('projects.update', 200, 'renames a project and changes its ETag', async (context) => {
    const project = await context.createProject()
    const name = context.uniqueName()
    const before = await context.client.projects.get(project.id).withResponse()
    const ifMatch = before.response.headers.get('etag') ?? ''
    const renamed = await context.client.projects.update(project.id, { name }, { ifMatch }).withResponse()
    assertIncludes(renamed.data, { id: project.id, name, created_at: project.created_at }, 'project')
    assert(renamed.response.headers.get('etag') !== ifMatch, 'renaming a project must change its ETag')
    assertEqual(await context.client.projects.get(project.id), renamed.data, 'the project, read again')
    await context.expectFailure(
      context.client.projects.update(project.id, { name: context.uniqueName() }, { ifMatch }),
      412,
      'etag_mismatch',
    )
    await context.client.projects.update(project.id, { name }, { ifMatch: '*' })
    const released = await context.client.projects.create({ name: project.name })
    context.onCleanup(({ client }) => client.projects.delete(released.id))
  }),

  scenario('projects.update', 409, "rejects another project's name, but not the project's own name", async (context) => {
    const [one, other] = [await context.createProject(), await context.createProject()]
    await context.expectFailure(context.client.projects.update(one.id, { name: other.name }), 409, 'project_name_taken')
    assertEqual((await context.client.projects.update(one.id, { name: one.name })).name, one.name, 'name')
  }),

  scenario('projects.delete', 204, 'deletes a project with its resources and releases its name', async (context) => {
    const project = await context.createProject()
    const flow = await context.createFlow(project)
    const { key } = await context.createKey({ project_id: project.id })
    await context.client.projects.delete(project.id)
    await context.expectFailure(context.client.projects.get(project.id), 404, 'not_found')
    await context.expectFailure(context.client.flows.get(project.id, flow.id), 404, 'not_found')
    await context.http.expect('projects.list', 401, { key }, 'unauthenticated')
    const again = await context.client.projects.create({ name: project.name })
    context.onCleanup(({ client }) => client.projects.delete(again.id))
  }),

  scenario('projects.deleteByQuery', 204, 'deletes the project with the id in the query', async (context) => {
    const project = await context.createProject()
    await context.http.expect('projects.deleteByQuery', 204, { query: { project_id: project.id } })
    await context.expectFailure(context.client.projects.get(project.id), 404, 'not_found')
  }),

  scenario('projects.deleteByQuery', 404, 'returns not_found for an unknown or malformed id', async (context) => {
    for (const project_id of ['prj_0000000001e008000000000000', 'nonsense', ''])
      await context.http.expect('projects.deleteByQuery', 404, { query: { project_id } }, 'not_found')
  }),

  scenario('projects.deleteByQuery', 422, 'deletes nothing without project_id', async (context) => {
    const project = await context.createProject()
    const response = await context.http.expect('projects.deleteByQuery', 422, {}, 'validation_failed')
    assertIncludes(response.json.errors, [{ in: 'query', pointer: '/project_id', code: 'required' }], 'errors')
    assertEqual(await context.client.projects.get(project.id), project, 'the project, read again')
  }),
]
