import { assertEqual, assertIncludes } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { farFutureMs } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { uniqueKey } from '../settings-documents.ts'

const createKeyed = async (context: ScenarioContext) => {
  const key = uniqueKey(context)
  const project = await context.client.projects.create({ name: context.uniqueName(), key })
  context.onCleanup(({ client }) => client.projects.delete(project.id))
  const flows = [await context.createFlow(project, { key: 'ops' }), await context.createFlow(project, { key: 'alerts' })] as const
  const send_at = new Date(Date.parse(project.created_at) + farFutureMs).toISOString()
  return { key, project, flows, message: { subject: 'a', message: 'b', send_at } }
}

const operations = ['notifications.send', 'notifications.preview'] as const

/** Returns the sorted flow ids in the response to a send or a preview. */
const flowIds = (operation: (typeof operations)[number], json: ScenarioJson): string[] =>
  (operation === 'notifications.send' ? (json.deliveries ?? []) : (json.flows ?? [])).map(({ flow_id }) => flow_id).sort()

interface ScenarioJson {
  readonly deliveries?: readonly { readonly flow_id: string }[]
  readonly flows?: readonly { readonly flow_id: string }[]
}

const singleScenarios = operations.flatMap((operation) => [
  scenario(operation, operation === 'notifications.send' ? 202 : 200, 'finds the project and the flow by key', async (context) => {
    const { key, project, flows, message } = await createKeyed(context)
    const all = flows.map(({ id }) => id).sort()
    for (const [fields, expected] of [
      [{ project: key }, all],
      [{ project: key, flow: 'alerts' }, [flows[1].id]],
      [{ project: key, flow_id: flows[0].id }, [flows[0].id]],
      [{ project_id: project.id, flow: 'ops' }, [flows[0].id]],
    ] as const) {
      const json = { ...message, ...fields }
      const response = await context.http.expect(operation, operation === 'notifications.send' ? 202 : 200, { json })
      assertEqual(flowIds(operation, response.json), expected, `the flows for ${JSON.stringify(fields)}`)
    }
    // A key can move to another flow.
    await context.client.flows.patch(project.id, flows[0].id, { key: null })
    await context.http.expect(operation, 404, { json: { ...message, project: key, flow: 'ops' } }, 'not_found')
    await context.client.flows.patch(project.id, flows[1].id, { key: 'ops' })
    const moved = await context.http.expect(operation, operation === 'notifications.send' ? 202 : 200, {
      json: { ...message, project: key, flow: 'ops' },
    })
    assertEqual(flowIds(operation, moved.json), [flows[1].id], 'the flow found by a key moved from another flow')
    const newKey = uniqueKey(context)
    await context.client.projects.update(project.id, { name: project.name, key: newKey })
    await context.http.expect(operation, 404, { json: { ...message, project: key, flow: 'ops' } }, 'not_found')
    const renamed = await context.http.expect(operation, operation === 'notifications.send' ? 202 : 200, {
      json: { ...message, project: newKey, flow: 'ops' },
    })
    assertEqual(flowIds(operation, renamed.json), [flows[1].id], "the flow found by the project's new key")
  }),

  scenario(
    operation,
    404,
    'returns not_found for an unknown project or flow key, and for a credential bound to another project',
    async (context) => {
      const [{ key, message }, other] = [await createKeyed(context), await createKeyed(context)]
      for (const fields of [{ project: uniqueKey(context) }, { project: key, flow: 'unknown' }])
        await context.http.expect(operation, 404, { json: { ...message, ...fields } }, 'not_found')
      const bound = await context.createKey({ project_id: other.project.id })
      // The API key of this request has access to the project, so the server may cache the project under `key`, its project key.
      await context.http.expect(operation, operation === 'notifications.send' ? 202 : 200, { json: { ...message, project: key } })
      // This API key is bound to another project. The server must reject the request even if it has cached the project.
      await context.http.expect(operation, 404, { json: { ...message, project: key }, key: bound.key }, 'not_found')
    },
  ),

  scenario(operation, 422, 'rejects a request that names a project or flow by both id and key, or names no project', async (context) => {
    const { key, project, flows, message } = await createKeyed(context)
    const both = { ...message, project: key, project_id: project.id, flow: 'ops', flow_id: flows[0].id }
    const response = await context.http.expect(operation, 422, { json: both }, 'validation_failed')
    assertIncludes(
      response.json.errors,
      [
        { pointer: '/project', code: 'invalid_value' },
        { pointer: '/flow', code: 'invalid_value' },
      ],
      'errors',
    )
    const neither = await context.http.expect(operation, 422, { json: message }, 'validation_failed')
    assertIncludes(neither.json.errors, [{ pointer: '/project_id', code: 'required' }], 'errors')
  }),
])

const batchScenario = scenario('notifications.sendBatch', 200, 'finds the project and the flow of each item by key', async (context) => {
  const { key, project, flows, message } = await createKeyed(context)
  const notifications = [
    { ...message, project: key, flow: 'alerts' },
    { ...message, project: key, project_id: project.id },
    message,
    { ...message, project: `${key}-unknown` },
  ]
  const { json } = await context.http.expect('notifications.sendBatch', 200, { json: { notifications } })
  const rejected = (pointer: string, code: string) => ({ status: 422, problem: { errors: [{ pointer, code }] } })
  const expected = [
    { status: 202, notification: { deliveries: [{ flow_id: flows[1].id }] } },
    rejected('/project', 'invalid_value'),
    rejected('/project_id', 'required'),
    { status: 404, problem: { code: 'not_found' } },
  ]
  assertIncludes(json.results, expected, 'the results')
})

const known = (digest: string) => ({ 'flowpost-settings-digest': digest })
const changed = 'flowpost-settings-changed'

const driftScenarios = ([...operations, 'notifications.sendBatch'] as const).map((operation) => {
  const status = operation === 'notifications.send' ? 202 : 200
  const toBody = (message: object) => (operation === 'notifications.sendBatch' ? { notifications: [message] } : message)
  return scenario(operation, status, "reports whether the project's settings differ from the request's digest", async (context) => {
    const { key, project, flows, message } = await createKeyed(context)
    const ask = async (digest: string, fields: object = { project: key }) => {
      const request = { json: toBody({ ...message, ...fields }), headers: known(digest) }
      const response = await context.http.expect(operation, status, request)
      return response.headers.get(changed)
    }
    const { digest } = await context.client.settings.export(project.id)
    assertEqual(await ask(digest), null, `the response header ${changed} for a request with the current digest`)
    assertEqual(await ask('unknown'), 'true', `the response header ${changed} for a request with another digest`)
    assertEqual(
      await ask('unknown', { project_id: project.id }),
      null,
      `the response header ${changed} for a request that names the project by id`,
    )
    const plain = await context.http.expect(operation, status, { json: toBody({ ...message, project: key }) })
    assertEqual(plain.headers.get(changed), null, `the response header ${changed} for a request without a digest`)
    await context.client.flows.patch(project.id, flows[0].id, { message_template: 'New: {{message}}' })
    assertEqual(await ask(digest), 'true', `the response header ${changed} for a request with the old digest`)
    assertEqual(
      await ask((await context.client.settings.export(project.id)).digest),
      null,
      `the response header ${changed} for a request with the new digest`,
    )
  })
})

const rejectedDriftScenario = scenario(
  'notifications.send',
  404,
  "reports whether the project's settings differ from the request's digest, even if the requested flow does not exist",
  async (context) => {
    const { key, message } = await createKeyed(context)
    const send = (project: string) =>
      context.http.expect(
        'notifications.send',
        404,
        { json: { ...message, project, flow: 'unknown' }, headers: known('unknown') },
        'not_found',
      )
    assertEqual((await send(key)).headers.get(changed), 'true', `the response header ${changed}`)
    assertEqual((await send(`${key}-unknown`)).headers.get(changed), null, `the response header ${changed} for an unknown project`)
  },
)

const invalidDriftScenarios = ([...operations, 'notifications.sendBatch'] as const).map((operation) =>
  scenario(
    operation,
    422,
    "reports whether the project's settings differ from the request's digest, even if the body is invalid",
    async (context) => {
      const { key, project, message } = await createKeyed(context)
      const { digest } = await context.client.settings.export(project.id)
      const ask = async (expected: string) => {
        const body = { ...message, project: key, flow: 1 }
        const json = operation === 'notifications.sendBatch' ? { notifications: [body], unknown: 1 } : body
        const request = { json, headers: known(expected) }
        return (await context.http.expect(operation, 422, request, 'validation_failed')).headers.get(changed)
      }
      assertEqual(await ask('unknown'), 'true', `the response header ${changed} for a request with another digest`)
      assertEqual(await ask(digest), null, `the response header ${changed} for a request with the current digest`)
    },
  ),
)

const malformedDigestScenario = scenario('notifications.send', 400, 'rejects a malformed digest', async (context) => {
  const { key, message } = await createKeyed(context)
  const request = { json: { ...message, project: key }, headers: known('"quoted"') }
  await context.http.expect('notifications.send', 400, request, 'malformed_header')
})

const replayedDriftScenario = scenario(
  'notifications.send',
  202,
  'compares the digest with the current settings when replaying a response',
  async (context) => {
    const { key, project, flows, message } = await createKeyed(context)
    const { digest } = await context.client.settings.export(project.id)
    const headers = { ...known(digest), 'idempotency-key': uniqueKey(context) }
    const request = { json: { ...message, project: key }, headers }
    const first = await context.http.expect('notifications.send', 202, request)
    await context.client.flows.patch(project.id, flows[0].id, { name: context.uniqueName() })
    const second = await context.http.expect('notifications.send', 202, request)
    assertEqual(second.json, first.json, 'the replayed response')
    assertEqual(
      [first, second].map((response) => response.headers.get(changed)),
      [null, 'true'],
      `the header ${changed} of both responses`,
    )
  },
)

/** Scenarios about notifications that name their project and flow by key. */
export const sendByKeyScenarios: readonly Scenario[] = [
  ...singleScenarios,
  batchScenario,
  ...driftScenarios,
  rejectedDriftScenario,
  ...invalidDriftScenarios,
  malformedDigestScenario,
  replayedDriftScenario,
]
