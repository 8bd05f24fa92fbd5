import { equal, holds, includes } from '../failure.ts'
import { samples } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

/** What projects do. */
export const projectScenarios: readonly Scenario[] = [
  scenario('projects.create', 201, 'makes a project, its name trimmed and in NFC', async (context) => {
    const name = context.uniqueName()
    const made = await context.client.projects.create({ name: `  ${name} e\u0301 ` }).withResponse()
    context.cleanUp(() => context.client.projects.delete(made.data.id))
    includes(made.data, { name: `${name} \u00e9` }, 'project')
    equal(made.data.updated_at, made.data.created_at, 'updated_at')
    equal(made.response.headers.get('location'), `/v1/settings/projects/${made.data.id}`, 'Location')
    equal(await context.client.projects.get(made.data.id), made.data, 'the project, read again')
  }),

  scenario('projects.create', 409, 'refuses a name that the user has already', async (context) => {
    const project = await context.project()
    const error = await context.fails(context.client.projects.create({ name: ` ${project.name} ` }), 409, 'project_name_taken')
    includes(error.errors, [{ in: 'body', pointer: '/name' }], 'errors')
  }),

  scenario(
    'projects.create',
    201,
    'gives two users the same name',
    async (context) => {
      const project = await context.project()
      const other = context.otherClient()
      const made = await other.projects.create({ name: project.name })
      context.cleanUp(() => other.projects.delete(made.id))
      equal(made.name, project.name, 'name')
    },
    ['otherApiKey'],
  ),

  scenario('projects.create', 201, 'gives one of two that want a name at once the name', async (context) => {
    const name = context.uniqueName()
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => context.client.projects.create({ name })))
    for (const result of results) if (result.status === 'fulfilled') context.cleanUp(() => context.client.projects.delete(result.value.id))
    const refused = results.filter((result) => result.status === 'rejected' && result.reason.code === 'project_name_taken')
    equal(refused.length, 7, 'how many were refused the name')
  }),

  ...(['projects.create', 'projects.delete', 'projects.deleteByQuery'] as const).map((operation) =>
    scenario(operation, 403, 'refuses a credential of one project, before it looks at what is asked', async (context) => {
      const project = await context.project()
      const { key } = await context.key({ project_id: project.id })
      const sample = await samples[operation](context)
      await context.http.expect(operation, 403, { ...sample, key }, 'scope_missing')
      await context.http.expect(operation, 403, { ...sample, query: { colour: 'red' }, key }, 'scope_missing')
    }),
  ),

  scenario('projects.create', 422, 'tells every fault of a name', async (context) => {
    for (const [name, code] of [
      ['', 'too_short'],
      ['   ', 'too_short'],
      ['x'.repeat(256), 'too_long'],
      ['a\nb', 'invalid_text'],
      ['a\u0000b', 'invalid_text'],
      [7, 'invalid_type'],
    ] as const) {
      const answer = await context.http.expect('projects.create', 422, { json: { name } }, 'validation_failed')
      includes(answer.json.errors, [{ in: 'body', pointer: '/name', code }], `errors for ${JSON.stringify(name)}`)
    }
  }),

  scenario('projects.list', 200, 'lists the projects page by page, oldest first', async (context) => {
    const made = [await context.project(), await context.project(), await context.project()]
    const listed: string[] = []
    for await (const { id } of context.client.projects.list({ limit: 2 })) listed.push(id)
    const own = listed.filter((id) => made.some((project) => project.id === id))
    equal(
      own,
      made.map(({ id }) => id),
      'the projects that were made, in the order of the list',
    )
    equal(new Set(listed).size, listed.length, 'how many ids are different')
  }),

  scenario(
    'projects.list',
    200,
    'shows nobody the projects of another user',
    async (context) => {
      const project = await context.project()
      for await (const { id } of context.otherClient().projects.list()) holds(id !== project.id, 'a project of another user is listed')
    },
    ['otherApiKey'],
  ),

  scenario('projects.list', 200, 'shows a credential of one project that project only', async (context) => {
    const [project] = [await context.project(), await context.project()]
    const { key } = await context.key({ project_id: project.id })
    const answer = await context.http.expect('projects.list', 200, { key })
    equal(
      answer.json.data.map(({ id }: { id: string }) => id),
      [project.id],
      'ids',
    )
  }),

  scenario('projects.get', 200, 'reads a project with its ETag', async (context) => {
    const project = await context.project()
    const read = await context.client.projects.get(project.id).withResponse()
    equal(read.data, project, 'project')
    holds(read.response.headers.get('etag'), 'a project has an ETag')
  }),

  scenario('projects.update', 200, 'renames a project and changes its ETag', async (context) => {
    const project = await context.project()
    const name = context.uniqueName()
    const before = await context.client.projects.get(project.id).withResponse()
    const ifMatch = before.response.headers.get('etag') ?? ''
    const renamed = await context.client.projects.update(project.id, { name }, { ifMatch }).withResponse()
    includes(renamed.data, { id: project.id, name, created_at: project.created_at }, 'project')
    holds(renamed.response.headers.get('etag') !== ifMatch, 'a renamed project has another ETag')
    equal(await context.client.projects.get(project.id), renamed.data, 'the project, read again')
    await context.fails(context.client.projects.update(project.id, { name: context.uniqueName() }, { ifMatch }), 412, 'etag_mismatch')
    await context.client.projects.update(project.id, { name }, { ifMatch: '*' })
  }),

  scenario('projects.update', 409, 'refuses the name of another project, but not its own', async (context) => {
    const [one, other] = [await context.project(), await context.project()]
    await context.fails(context.client.projects.update(one.id, { name: other.name }), 409, 'project_name_taken')
    equal((await context.client.projects.update(one.id, { name: one.name })).name, one.name, 'name')
  }),

  scenario('projects.delete', 204, 'deletes a project with what belongs to it, and frees its name', async (context) => {
    const project = await context.project()
    const flow = await context.flow(project)
    await context.client.projects.delete(project.id)
    await context.fails(context.client.projects.get(project.id), 404, 'not_found')
    await context.fails(context.client.flows.get(project.id, flow.id), 404, 'not_found')
    const again = await context.client.projects.create({ name: project.name })
    context.cleanUp(() => context.client.projects.delete(again.id))
  }),

  scenario('projects.deleteByQuery', 204, 'deletes the project that the query names', async (context) => {
    const project = await context.project()
    await context.http.expect('projects.deleteByQuery', 204, { query: { project_id: project.id } })
    await context.fails(context.client.projects.get(project.id), 404, 'not_found')
  }),

  scenario('projects.deleteByQuery', 404, 'answers an id that is unknown or malformed', async (context) => {
    for (const project_id of ['prj_0000000001e008000000000000', 'nonsense', ''])
      await context.http.expect('projects.deleteByQuery', 404, { query: { project_id } }, 'not_found')
  }),

  scenario('projects.deleteByQuery', 422, 'deletes nothing without project_id', async (context) => {
    const project = await context.project()
    const answer = await context.http.expect('projects.deleteByQuery', 422, {}, 'validation_failed')
    includes(answer.json.errors, [{ in: 'query', pointer: '/project_id', code: 'required' }], 'errors')
    equal(await context.client.projects.get(project.id), project, 'the project, read again')
  }),
]
