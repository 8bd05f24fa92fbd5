import { equal, holds, includes } from '../failure.ts'
import { type Scenario, scenario } from '../scenario.ts'

const settings = { host: 'smtp.example.com', from: 'Conformance <conformance@example.com>' }

/** What integrations and providers do. */
export const integrationScenarios: readonly Scenario[] = [
  scenario('integrations.put', 200, 'sets credentials and never shows a secret', async (context) => {
    const project = await context.project()
    const secrets = { password: 'correct horse battery staple' }
    const made = await context.client.integrations.put(project.id, 'smtp', { settings, secrets }).withResponse()
    includes(made.data, { source_type: 'smtp', settings, secrets: { password: { set: true } } }, 'integration')
    holds(!JSON.stringify(made.data).includes(secrets.password), 'an answer holds a secret')
    equal(await context.client.integrations.get(project.id, 'smtp'), made.data, 'the integration, read again')
  }),

  scenario('integrations.put', 200, 'keeps a secret that is left out, and removes one that is null', async (context) => {
    const project = await context.project()
    const first = await context.client.integrations.put(project.id, 'smtp', { settings, secrets: { password: 'one' } }).withResponse()
    const renamed = { ...settings, from: 'Another <another@example.com>' }
    const kept = await context.client.integrations.put(project.id, 'smtp', { settings: renamed })
    includes(kept, { settings: renamed, secrets: { password: { set: true } }, created_at: first.data.created_at }, 'integration')
    const changed = await context.client.integrations.put(project.id, 'smtp', { settings, secrets: { password: 'two' } }).withResponse()
    const etags = [first, changed].map(({ response }) => response.headers.get('etag'))
    holds(etags[0] !== etags[1], 'another secret changes the ETag', etags)
    const removed = await context.client.integrations.put(project.id, 'smtp', { settings, secrets: { password: null } })
    equal(removed.secrets, {}, 'secrets')
  }),

  scenario('integrations.put', 422, 'wants a secret again when a setting changes that decides where it is sent', async (context) => {
    const project = await context.project()
    const params = { project_id: project.id, source_type: 'smtp' }
    await context.client.integrations.put(project.id, 'smtp', { settings, secrets: { password: 'one' } })
    for (const change of [{ host: 'mail.example.com' }, { port: 2525 }, { security: 'tls' }, { user: 'someone' }]) {
      const moved = { settings: { ...settings, ...change } }
      const answer = await context.http.expect('integrations.put', 422, { params, json: moved }, 'validation_failed')
      includes(answer.json.errors, [{ in: 'body', pointer: '/secrets/password', code: 'required' }], 'errors')
      const again = { ...moved, secrets: { password: 'two' } }
      await context.http.expect('integrations.put', 200, { params, json: again })
      await context.http.expect('integrations.put', 200, { params, json: { settings, secrets: { password: 'one' } } })
    }
    await context.http.expect('integrations.put', 200, { params, json: { settings: { ...settings, security: 'starttls' } } })
  }),

  scenario('integrations.put', 412, 'makes nothing under If-Match', async (context) => {
    const project = await context.project()
    const params = { project_id: project.id, source_type: 'smtp' }
    await context.http.expect('integrations.put', 412, { params, json: { settings }, headers: { 'if-match': '*' } }, 'etag_mismatch')
    await context.fails(context.client.integrations.get(project.id, 'smtp'), 404, 'not_found')
  }),

  scenario('integrations.put', 422, 'tells every fault that the schemas of the provider find', async (context) => {
    const project = await context.project()
    const params = { project_id: project.id, source_type: 'smtp' }
    const json = { settings: { host: 'smtp.example.com', port: 0, colour: 'red' }, secrets: { pasword: 'a' } }
    const answer = await context.http.expect('integrations.put', 422, { params, json }, 'validation_failed')
    const faults = answer.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
    const expected = [
      '/secrets/pasword unknown_field',
      '/settings/colour unknown_field',
      '/settings/from required',
      '/settings/port too_small',
    ]
    equal(faults.sort(), expected, 'errors')
  }),

  scenario('integrations.put', 404, 'knows no provider that is not served', async (context) => {
    const project = await context.project()
    await context.fails(context.client.integrations.put(project.id, 'pigeon', { settings: {} }), 404, 'not_found')
  }),

  scenario('integrations.list', 200, 'lists the integrations of a project, oldest first', async (context) => {
    const project = await context.project()
    await context.client.integrations.put(project.id, 'smtp', { settings })
    await context.client.integrations.put(project.id, 'slack', { settings: {}, secrets: { token: 'xoxb-conformance' } })
    const listed: string[] = []
    for await (const { source_type } of context.client.integrations.list(project.id, { limit: 1 })) listed.push(source_type)
    equal(listed, ['smtp', 'slack'], 'source_types')
  }),

  scenario('integrations.get', 200, 'reads an integration with its ETag', async (context) => {
    const project = await context.project()
    await context.client.integrations.put(project.id, 'smtp', { settings })
    const { data, response } = await context.client.integrations.get(project.id, 'smtp').withResponse()
    includes(data, { source_type: 'smtp', settings, secrets: {} }, 'integration')
    holds(response.headers.get('etag'), 'an integration has an ETag')
  }),

  scenario('integrations.delete', 204, 'deletes an integration', async (context) => {
    const project = await context.project()
    await context.client.integrations.put(project.id, 'smtp', { settings })
    await context.client.integrations.delete(project.id, 'smtp')
    await context.fails(context.client.integrations.get(project.id, 'smtp'), 404, 'not_found')
  }),

  scenario('providers.list', 200, 'lists what is served, with the schemas of settings and secrets', async (context) => {
    const providers = []
    for await (const provider of context.client.providers.list({ limit: 1 })) providers.push(provider)
    const known = Object.fromEntries(providers.map(({ source_type, kind }) => [source_type, kind]))
    includes(known, { mailgun: 'email', smtp: 'email', slack: 'chat' }, 'kinds')
    for (const { source_type, settings_schema, secrets_schema } of providers)
      equal([settings_schema['type'], secrets_schema['type']], ['object', 'object'], `the types in the schemas of ${source_type}`)
  }),
]
