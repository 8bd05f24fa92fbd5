import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { apply, create, type DocumentFlow, documentOf, flowOf, password, smtp, uniqueKey } from '../settings-documents.ts'

/** Scenarios about rejected settings documents, and about permission to apply documents. */
export const rejectedSettingsScenarios: readonly Scenario[] = [
  scenario(
    'settings.apply',
    412,
    'rejects a document if the settings no longer match If-Match, and names the changed flow',
    async (context) => {
      const { document, projectId, idOf, applied } = await create(context)
      await context.client.flows.patch(projectId, idOf('alerts'), { target: context.receiver.target, name: 'Changed meanwhile' })
      const next = { ...document, project: { ...document.project, name: context.uniqueName() } }
      for (const dry_run of [true, false]) {
        const error = await context.expectFailure(apply(context, { ...next, dry_run }, applied.digest), 412, 'etag_mismatch')
        assert(/alerts/.test(error.message), 'the detail must name the changed flow', error.message)
      }
      assertEqual((await context.client.projects.get(projectId)).name, document.project.name, "the project's name")
      const absent = { ...documentOf(context), dry_run: false }
      await context.http.expect('settings.apply', 412, { json: absent, headers: { 'if-match': '*' } }, 'etag_mismatch')
      await context.http.expect('settings.apply', 412, { json: absent, headers: { 'if-match': `"${applied.digest}"` } }, 'etag_mismatch')
    },
  ),

  scenario('settings.apply', 200, 'applies a document with If-Match: * to an existing project', async (context) => {
    const { document } = await create(context)
    await context.http.expect('settings.apply', 200, { json: document, headers: { 'if-match': '*' } })
  }),

  scenario('settings.apply', 409, "rejects another project's name, and creates nothing", async (context) => {
    const { name } = await context.createProject()
    const document = documentOf(context)
    const error = await context.expectFailure(
      apply(context, { ...document, project: { ...document.project, name } }),
      409,
      'project_name_taken',
    )
    assertIncludes(error.errors, [{ in: 'body', pointer: '/project/name' }], 'errors')
    assertEqual((await apply(context, document)).changes[0]?.action, 'create', 'the action for the project')
  }),

  scenario('settings.apply', 409, "rejects another project's name in a dry run, for new and existing projects", async (context) => {
    const { name } = await context.createProject()
    const { document: existing } = await create(context)
    for (const document of [documentOf(context), existing]) {
      const body = { project: { ...document.project, name }, flows: [], prune: true, dry_run: true }
      const error = await context.expectFailure(apply(context, body), 409, 'project_name_taken')
      assertIncludes(error.errors, [{ in: 'body', pointer: '/project/name' }], 'errors')
    }
  }),

  scenario('settings.apply', 422, 'rejects a project key that the database cannot store', async (context) => {
    for (const key of ['\u0000', '\ud800', 'k'.repeat(100_000)]) {
      const json = { ...documentOf(context), project: { key, name: context.uniqueName() }, integrations: [] }
      await context.http.expect('settings.apply', 422, { json }, 'validation_failed')
    }
  }),

  scenario('settings.apply', 422, 'returns the issues in all parts of a document, and changes nothing', async (context) => {
    const { document, projectId } = await create(context)
    const [ops, alerts] = document.flows as [DocumentFlow, DocumentFlow]
    const { active: _, ...incomplete } = ops
    const json = {
      project: { key: document.project.key, name: '' },
      flows: [
        { ...ops, name: 'Changed' },
        { ...alerts, target: 'no where?' },
        { ...ops, message_template: 'x' },
        { ...incomplete, key: 'Ops' },
      ],
      integrations: [
        { source_type: 'pigeon', settings: {} },
        { source_type: 'smtp', settings: { host: '' }, secrets: { colour: 'red' } },
      ],
    }
    const response = await context.http.expect('settings.apply', 422, { json }, 'validation_failed')
    const pointers = (response.json.errors as { pointer: string }[]).map(({ pointer }) => pointer)
    for (const pointer of [
      '/project/name',
      '/flows/1/target',
      '/flows/2/key',
      '/flows/3/key',
      '/flows/3/active',
      '/integrations/0/source_type',
      '/integrations/1/settings/host',
      '/integrations/1/secrets/colour',
    ])
      assert(pointers.includes(pointer), `errors must contain ${pointer}`, pointers)
    const valid = { ...document, flows: document.flows.map((flow) => ({ ...flow, name: 'Changed' })) }
    const last = { ...valid, flows: [...valid.flows, flowOf(context, 'last', { target: 'no where?' })] }
    await context.http.expect('settings.apply', 422, { json: last }, 'validation_failed')
    assertEqual((await context.client.settings.export(projectId)).document.flows, [alerts, ops], 'the flows, read again')
  }),

  scenario('settings.apply', 422, 'returns an issue for each duplicate integration', async (context) => {
    const json = { ...documentOf(context), integrations: [smtp, smtp, smtp] }
    const response = await context.http.expect('settings.apply', 422, { json }, 'validation_failed')
    const pointers = (response.json.errors as { pointer: string }[]).map(({ pointer }) => pointer)
    for (const pointer of ['/integrations/1/source_type', '/integrations/2/source_type'])
      assert(pointers.includes(pointer), `errors must contain ${pointer}`, pointers)
  }),

  scenario('settings.apply', 422, 'reports errors at the enclosing field if a pointer would be too long', async (context) => {
    const enclosing = '/integrations/0/settings'
    const longest = 'k'.repeat(231)
    for (const [fields, pointer, code] of [
      [{ [longest]: 1 }, `${enclosing}/${longest}`, 'unknown_field'],
      [{ [`${longest}k`]: 1 }, enclosing, 'unknown_field'],
      [{ ['k'.repeat(245)]: 1 }, enclosing, 'unknown_field'],
      [{ ['k'.repeat(245)]: '\u0000' }, enclosing, 'invalid_text'],
    ] as const) {
      const json = { ...documentOf(context), integrations: [{ ...smtp, settings: { ...smtp.settings, ...fields } }] }
      const response = await context.http.expect('settings.apply', 422, { json }, 'validation_failed')
      const errors = response.json.errors as readonly { pointer: string; code: string }[]
      assert(
        errors.some((error) => error.pointer === pointer && error.code === code),
        `errors must contain ${code} for ${pointer}`,
        errors,
      )
      assert(
        errors.every((error) => error.pointer.length <= 256),
        'every pointer must have at most 256 characters',
        errors,
      )
    }
  }),

  scenario('settings.apply', 422, 'requires the secrets again if a change would send them to another server', async (context) => {
    const { document } = await create(context, { integrations: [{ ...smtp, secrets: password }] })
    const json = { ...document, integrations: [{ ...smtp, settings: { ...smtp.settings, host: 'other.example.com' } }] }
    for (const dry_run of [true, false]) {
      const response = await context.http.expect('settings.apply', 422, { json: { ...json, dry_run } }, 'validation_failed')
      assertIncludes(response.json.errors, [{ pointer: '/integrations/0/secrets/password', code: 'required' }], 'errors')
    }
  }),

  scenario('settings.apply', 404, 'does not let a project-bound credential change or create another project', async (context) => {
    const [own, other] = [await create(context), await create(context)]
    const { key } = await context.createKey({ project_id: own.projectId })
    await context.http.expect('settings.apply', 404, { json: other.document, key }, 'not_found')
    await context.http.expect('settings.apply', 404, { json: documentOf(context), key }, 'not_found')
    const next = { ...own.document, flows: [] }
    await context.http.expect('settings.apply', 200, { json: next, key })
  }),

  scenario(
    'settings.apply',
    200,
    "creates a project with the key of another user's project",
    async (context) => {
      const { document, projectId } = await create(context)
      const applied = await context.otherClient().settings.apply({ ...document, flows: [], prune: true })
      context.onCleanup(({ otherClient }) => otherClient().projects.delete(applied.project_id ?? ''))
      assertEqual(applied.changes[0]?.action, 'create', 'the action for the project')
      assertEqual(
        (await context.client.settings.export(projectId)).document.flows.length,
        2,
        "the number of flows in the first user's project",
      )
    },
    ['otherApiKey'],
  ),

  scenario(
    'settings.apply',
    200,
    'replays the first response when a request is repeated, even if the settings have changed since',
    async (context) => {
      const { document, applied } = await create(context)
      const headers = { 'idempotency-key': uniqueKey(context), 'if-match': `"${applied.digest}"` }
      const json = { ...document, flows: [], prune: true }
      const first = await context.http.expect('settings.apply', 200, { json, headers })
      const second = await context.http.expect('settings.apply', 200, { json, headers })
      assertEqual(
        [second.json, second.headers.get('idempotency-replayed')],
        [first.json, 'true'],
        'the repeated response and its Idempotency-Replayed header',
      )
    },
  ),
]
