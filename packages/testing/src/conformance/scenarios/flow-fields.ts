import type { Flow, FlowUpdate } from '@flowpost/client'
import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { type Scenario, scenario } from '../scenario.ts'

const before: FlowUpdate = {
  name: 'before',
  active: true,
  source_type: 'smtp',
  target: 'before@example.com',
  override_target: false,
  message_template: 'before {{message}}',
  message_template_type: 'text/plain',
}

const after: FlowUpdate = {
  name: 'after',
  active: false,
  source_type: 'mailgun',
  target: 'after@example.com',
  override_target: true,
  message_template: 'after {{message}}',
  message_template_type: 'text/html',
}

const names = Object.keys(before) as readonly (keyof FlowUpdate)[]
const pick = (values: FlowUpdate | Flow): object => Object.fromEntries(names.map((name) => [name, values[name]]))

/** Changes a flow's fields one at a time, then changes them back one at a time. Verifies each response. */
const changesEachField = (operation: 'flows.update' | 'flows.patch', isConditional: boolean): Scenario =>
  scenario(
    operation,
    200,
    `changes the seven fields one at a time${isConditional ? ', with If-Match' : ''}`,
    async (context: ScenarioContext) => {
      const project = await context.createProject()
      const flow = await context.createFlow(project, before)
      const params = { project_id: project.id, flow_id: flow.id }
      assertEqual(pick(flow), before, 'the created flow')
      let expected = before
      let etag = (await context.http.expect('flows.get', 200, { params })).headers.get('etag') ?? ''
      for (const values of [after, before])
        for (const name of names) {
          const change = { [name]: values[name] }
          expected = { ...expected, ...change }
          const json = operation === 'flows.patch' ? change : expected
          const headers = isConditional ? { 'if-match': etag } : {}
          const what = `after changing ${name} to ${JSON.stringify(values[name])}`
          const changed = await context.http.expect(operation, 200, { params, json, headers })
          assertEqual(pick(changed.json), expected, `the response fields ${what}`)
          const read = await context.http.expect('flows.get', 200, { params })
          assertEqual(read.json, changed.json, `the flow, read again ${what}`)
          assertEqual(read.headers.get('etag'), changed.headers.get('etag'), `the ETag, read again ${what}`)
          assert(changed.headers.get('etag') !== etag, `the ETag must change ${what}`, etag)
          etag = changed.headers.get('etag') ?? ''
        }
    },
  )

/** A target with a decomposed letter. Its canonical form is in Unicode NFC and keeps the domain's letter case. */
const typed = { source_type: 'smtp', target: 'jose\u0301@Example.com' }
const canonical = { source_type: 'smtp', target: 'jos\u00e9@Example.com' }

/** Writes a flow's target in a form that is not canonical, and verifies the response and the stored flow. */
const storesCanonicalTarget = (operation: 'flows.update' | 'flows.patch', isConditional: boolean): Scenario =>
  scenario(
    operation,
    200,
    `stores the canonical form of a target${isConditional ? ', with If-Match' : ''}`,
    async ({ client, http, createProject, createFlow }) => {
      const project = await createProject()
      const params = { project_id: project.id, flow_id: (await createFlow(project, before)).id }
      const json = operation === 'flows.patch' ? typed : { ...before, ...typed }
      const changed = await http.expect(operation, 200, { params, json, headers: isConditional ? { 'if-match': '*' } : {} })
      assertIncludes(changed.json, canonical, 'the response')
      assertEqual(await client.flows.get(params.project_id, params.flow_id), changed.json, 'the flow, read again')
    },
  )

/** Scenarios that set each field of a flow, and scenarios that set a target that is not in canonical form. */
export const flowFieldScenarios: readonly Scenario[] = [
  ...(['flows.update', 'flows.patch'] as const).flatMap((operation) =>
    [false, true].flatMap((isConditional) => [changesEachField(operation, isConditional), storesCanonicalTarget(operation, isConditional)]),
  ),

  scenario('flows.create', 201, 'stores every field, and the canonical form of the target', async (context) => {
    const project = await context.createProject()
    for (const fields of [before, after]) {
      const created = await context.createFlow(project, { ...fields, ...typed })
      assertEqual(pick(created), { ...fields, ...canonical }, 'the response fields')
      assertEqual(await context.client.flows.get(project.id, created.id), created, 'the flow, read again')
    }
  }),
]
