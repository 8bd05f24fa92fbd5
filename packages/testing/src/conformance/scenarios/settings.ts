import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { farFutureMs } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { apply, create, type Document, type DocumentFlow, documentOf, effects, flowOf, password, smtp } from '../settings-documents.ts'

/** Scenarios about exporting and applying settings documents. */
export const settingsScenarios: readonly Scenario[] = [
  scenario('settings.apply', 200, 'creates a project with its flows and integrations', async (context) => {
    const { document, applied, projectId, idOf } = await create(context, { integrations: [{ ...smtp, secrets: password }] })
    assertEqual(
      effects(applied.changes),
      [
        ['create', 'project', document.project.key, '/project'],
        ['create', 'flow', 'ops', '/flows/0'],
        ['create', 'flow', 'alerts', '/flows/1'],
        ['create', 'integration', 'smtp', '/integrations/0'],
      ],
      'changes',
    )
    assert(!JSON.stringify(applied).includes(password.password), 'the response must not contain a secret')
    assertIncludes(await context.client.projects.get(projectId), document.project, 'project')
    for (const flow of document.flows)
      assertIncludes(await context.client.flows.get(projectId, idOf(flow.key)), flow, `the flow ${flow.key}`)
    assertEqual((await context.client.integrations.get(projectId, 'smtp')).secrets, { password: { set: true } }, 'secrets')
  }),

  scenario('settings.export', 200, 'returns a document that changes nothing when it is applied', async (context) => {
    const { projectId, applied } = await create(context, { integrations: [{ ...smtp, secrets: password }] })
    const exported = await context.client.settings.export(projectId).withResponse()
    const { digest, document } = exported.data
    assertEqual(exported.response.headers.get('etag'), `"${digest}"`, 'the ETag')
    assertEqual(digest, applied.digest, 'the exported digest')
    assertEqual(
      document.flows.map(({ key }) => key),
      ['alerts', 'ops'],
      'the flow keys, in order',
    )
    assertEqual(document.integrations, [smtp], 'the exported integrations, without secrets')
    assertEqual(document.event_endpoints, [], 'the exported event endpoints')
    const again = await apply(context, { ...(document as Document), prune: true }, digest)
    assertEqual([effects(again.changes), again.digest], [[], digest], 'the changes and the digest when the document is applied again')
    assertEqual((await context.client.integrations.get(projectId, 'smtp')).secrets, { password: { set: true } }, 'secrets')
  }),

  scenario('settings.export', 200, 'omits flows without a key, and returns a warning', async (context) => {
    const { projectId } = await create(context)
    const before = await context.client.settings.export(projectId)
    assertEqual(before.warnings, [], 'warnings')
    await context.createFlow({ id: projectId })
    const { warnings, ...after } = await context.client.settings.export(projectId)
    assertEqual(after, { project_id: before.project_id, digest: before.digest, document: before.document }, 'the export')
    assertIncludes(warnings, [{ code: 'flows_without_key', pointer: '/flows' }], 'warnings')
  }),

  scenario('settings.export', 409, 'rejects a project if its templates are too large in total', async (context) => {
    const project = await context.createProject()
    // Each template takes up 400,000 bytes in UTF-8, so eleven together exceed the limit of 4 MiB.
    const message_template = '\u{1f600}'.repeat(100_000)
    for (let count = 0; count < 11; count += 1) await context.createFlow(project, { key: `flow-${count}`, message_template })
    await context.expectFailure(context.client.settings.export(project.id), 409, 'settings_too_large')
  }),

  scenario('settings.apply', 200, 'returns the changed fields with their old and new values', async (context) => {
    const { document, projectId, idOf } = await create(context)
    const [ops, alerts] = document.flows as [DocumentFlow, DocumentFlow]
    const name = context.uniqueName()
    const next = { project: { ...document.project, name }, flows: [alerts, { ...ops, name: 'Renamed', active: false }] }
    const before = await context.client.projects.get(projectId)
    const { changes } = await apply(context, next)
    const flow = { kind: 'flow', key: 'ops', id: idOf('ops') }
    assertEqual(
      changes,
      [
        {
          action: 'update',
          kind: 'project',
          key: document.project.key,
          id: projectId,
          pointer: '/project/name',
          before: document.project.name,
          after: name,
        },
        { action: 'none', kind: 'flow', key: 'alerts', id: idOf('alerts'), pointer: '/flows/0' },
        { action: 'update', ...flow, pointer: '/flows/1/name', before: ops.name, after: 'Renamed' },
        { action: 'update', ...flow, pointer: '/flows/1/active', before: true, after: false },
      ],
      'changes',
    )
    assertIncludes(await context.client.flows.get(projectId, idOf('ops')), next.flows[1] ?? {}, 'the changed flow')
    const project = await context.client.projects.get(projectId)
    assertEqual(project.name, name, "the project's name")
    assert(project.updated_at > before.updated_at, "applying the document must advance the project's updated_at", project)
  }),

  scenario('settings.apply', 200, 'keeps omitted secrets, and removes a secret that is set to null', async (context) => {
    const { document, projectId } = await create(context, { integrations: [{ ...smtp, secrets: password }] })
    const from = 'other@example.com'
    const changed = { ...document, integrations: [{ ...smtp, settings: { ...smtp.settings, from } }] }
    assertEqual(
      effects((await apply(context, changed)).changes),
      [['update', 'integration', 'smtp', '/integrations/0/settings/from']],
      'changes',
    )
    const integration = await context.client.integrations.get(projectId, 'smtp')
    assertEqual([integration.settings['from'], integration.secrets], [from, { password: { set: true } }], 'settings.from and secrets')
    const { user: _, ...settings } = smtp.settings
    const withoutSecret = { ...document, integrations: [{ source_type: 'smtp', settings, secrets: { password: null } }] }
    const removed = await apply(context, withoutSecret)
    assert(
      removed.changes.some(
        ({ pointer, before, after }) => pointer === '/integrations/0/secrets/password' && before === undefined && after === undefined,
      ),
      'the changes must name the secret but not its value',
      removed.changes,
    )
    assertEqual((await context.client.integrations.get(projectId, 'smtp')).secrets, {}, 'secrets')
    assertEqual(effects((await apply(context, withoutSecret)).changes), [], 'the changes when a document removes a secret that is not set')
  }),

  scenario('settings.apply', 200, 'does not change flows without a key, and deletes nothing without prune', async (context) => {
    const { document, projectId, idOf } = await create(context, { integrations: [{ ...smtp, secrets: password }] })
    const manual = await context.createFlow({ id: projectId })
    const next = { ...document, flows: document.flows.slice(0, 1), integrations: [] }
    const { changes, warnings } = await apply(context, next)
    assertEqual(effects(changes), [], 'changes')
    assertEqual(
      warnings.map(({ code, pointer }) => [code, pointer]),
      [
        ['flows_without_key', '/flows'],
        ['not_in_document', '/flows'],
        ['not_in_document', '/integrations'],
      ],
      'warnings',
    )
    const pruned = await apply(context, { ...next, integrations: undefined, prune: true })
    assertEqual(effects(pruned.changes), [['delete', 'flow', 'alerts', null]], 'the changes when `integrations` is omitted')
    await context.expectFailure(context.client.flows.get(projectId, idOf('alerts')), 404, 'not_found')
    assertEqual(await context.client.flows.get(projectId, manual.id), manual, 'the flow without a key')
    assertEqual(
      effects((await apply(context, { ...next, prune: true })).changes),
      [['delete', 'integration', 'smtp', null]],
      'the changes when `integrations` is empty',
    )
    await context.expectFailure(context.client.integrations.get(projectId, 'smtp'), 404, 'not_found')
  }),

  scenario('settings.apply', 200, 'lists the deletions of each kind of resource after its other changes', async (context) => {
    const { document } = await create(context, { integrations: [{ ...smtp, secrets: password }] })
    const flows = [flowOf(context, 'ops', { name: 'Renamed' }), flowOf(context, 'new')]
    const { changes } = await apply(context, { ...document, flows, integrations: [], prune: true })
    assertEqual(
      changes.map(({ action, kind, key }) => [action, kind, key]),
      [
        ['none', 'project', document.project.key],
        ['update', 'flow', 'ops'],
        ['create', 'flow', 'new'],
        ['delete', 'flow', 'alerts'],
        ['delete', 'integration', 'smtp'],
      ],
      'changes',
    )
  }),

  scenario('settings.apply', 200, "counts and cancels a deleted flow's pending deliveries", async (context) => {
    const { document, projectId, idOf } = await create(context, { flows: [flowOf(context, 'ops'), flowOf(context, 'alerts')] })
    const send_at = await context.serverTime(farFutureMs)
    const message = { project_id: projectId, subject: 'a', message: 'b', send_at }
    const notification = await context.client.notifications.send(message)
    context.onCleanup(({ client }) => client.notifications.cancel(notification.id))
    const body = { ...document, flows: document.flows.slice(1), prune: true }
    for (const dry_run of [true, false]) {
      const { changes } = await apply(context, { ...body, dry_run })
      const deletions = changes.filter(({ action }) => action === 'delete')
      const before = document.flows[0]
      assertEqual(
        deletions,
        [{ action: 'delete', kind: 'flow', key: 'ops', id: idOf('ops'), before, pending_deliveries: 1 }],
        'the deletions',
      )
      const { deliveries } = await context.client.notifications.get(notification.id)
      const statuses = Object.fromEntries(deliveries.map(({ flow_id, status }) => [flow_id, status]))
      assertEqual(statuses[idOf('ops')], dry_run ? 'queued' : 'canceled', "the deleted flow's delivery")
      assertEqual(statuses[idOf('alerts')], 'queued', "the other flow's delivery")
    }
  }),

  scenario('settings.apply', 200, "does not count a deleted flow's completed deliveries as pending", async (context) => {
    const flow = flowOf(context, 'ops', { source_type: 'smtp', target: 'ok@flowpost.test' })
    const { document, projectId } = await create(context, { flows: [flow] })
    const { key } = await context.createKey({ mode: 'test' })
    const json = { project_id: projectId, subject: 'a', message: 'b' }
    const sent = await context.http.expect('notifications.send', 202, { json, key })
    assertIncludes(await context.client.notifications.get(sent.json.id, { wait: 30 }), { status: 'sent' }, 'the notification')
    const { changes } = await apply(context, { ...document, flows: [], prune: true, dry_run: true })
    const deletions = changes.filter(({ action }) => action === 'delete')
    assertIncludes(deletions, [{ kind: 'flow', key: 'ops', pending_deliveries: 0 }], 'the deletions')
  }),

  scenario('settings.apply', 200, 'changes nothing in a dry run, and returns a digest for If-Match', async (context) => {
    const document = documentOf(context)
    const dry = await apply(context, { ...document, dry_run: true })
    assertEqual(dry.project_id, null, 'project_id')
    assertEqual(
      dry.changes.map(({ action, id }) => [action, id]),
      [
        ['create', null],
        ['create', null],
        ['create', null],
      ],
      'changes',
    )
    assertEqual((await apply(context, { ...document, dry_run: true })).digest, dry.digest, 'the digest of a second dry run')
    const { digest, project_id } = await apply(context, document, dry.digest)
    const next = { ...document, flows: [], prune: true }
    assertEqual((await apply(context, { ...next, dry_run: true })).digest, digest, 'the digest of a dry run')
    assertEqual((await context.client.settings.export(project_id ?? '')).digest, digest, 'the digest after the dry run')
    await context.expectFailure(apply(context, document, dry.digest), 412, 'etag_mismatch')
  }),
]
