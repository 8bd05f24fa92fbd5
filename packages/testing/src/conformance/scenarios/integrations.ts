import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { collectPages } from '../pages.ts'
import { type Scenario, scenario } from '../scenario.ts'

const settings = { host: 'smtp.example.com', from: 'Conformance <conformance@example.com>' }

const sourceTypeOf = ({ source_type }: { readonly source_type: string }): string => source_type

/** Scenarios about integrations and providers. */
export const integrationScenarios: readonly Scenario[] = [
  scenario('integrations.put', 200, 'stores credentials and returns no secret', async (context) => {
    const project = await context.createProject()
    const secrets = { password: 'correct horse battery staple' }
    const created = await context.client.integrations.put(project.id, 'smtp', { settings, secrets }).withResponse()
    assertIncludes(created.data, { source_type: 'smtp', settings, secrets: { password: { set: true } } }, 'integration')
    assert(!JSON.stringify(created.data).includes(secrets.password), 'the response must not contain a secret')
    assertEqual(await context.client.integrations.get(project.id, 'smtp'), created.data, 'the integration, read again')
  }),

  scenario('integrations.put', 200, 'keeps an omitted secret and removes a secret that is null', async (context) => {
    const project = await context.createProject()
    const first = await context.client.integrations.put(project.id, 'smtp', { settings, secrets: { password: 'one' } }).withResponse()
    const renamed = { ...settings, from: 'Another <another@example.com>' }
    const response = await context.client.integrations.put(project.id, 'smtp', { settings: renamed })
    assertIncludes(response, { settings: renamed, secrets: { password: { set: true } }, created_at: first.data.created_at }, 'integration')
    const changed = await context.client.integrations.put(project.id, 'smtp', { settings, secrets: { password: 'two' } }).withResponse()
    const etags = [first, changed].map(({ response }) => response.headers.get('etag'))
    assert(etags[0] !== etags[1], 'changing a secret must change the ETag', etags)
    const secretOnly = { settings, secrets: { password: 'three' } }
    const replaced = await context.client.integrations.put(project.id, 'smtp', secretOnly).withResponse()
    const secretTags = [changed, replaced].map(({ response: { headers } }) => headers.get('etag'))
    assert(secretTags[0] !== secretTags[1], 'changing only a secret must change the ETag', secretTags)
    const removed = await context.client.integrations.put(project.id, 'smtp', { settings, secrets: { password: null } })
    assertEqual(removed.secrets, {}, 'the secrets after removing the password')
  }),

  scenario('integrations.put', 422, 'requires the secret again when the host, port, security or user changes', async (context) => {
    const project = await context.createProject()
    const params = { project_id: project.id, source_type: 'smtp' }
    await context.client.integrations.put(project.id, 'smtp', { settings, secrets: { password: 'one' } })
    for (const change of [{ host: 'mail.example.com' }, { port: 2525 }, { security: 'tls' }, { user: 'someone' }]) {
      const moved = { settings: { ...settings, ...change } }
      const response = await context.http.expect('integrations.put', 422, { params, json: moved }, 'validation_failed')
      assertIncludes(response.json.errors, [{ in: 'body', pointer: '/secrets/password', code: 'required' }], 'errors')
      const again = { ...moved, secrets: { password: 'two' } }
      await context.http.expect('integrations.put', 200, { params, json: again })
      await context.http.expect('integrations.put', 200, { params, json: { settings, secrets: { password: 'one' } } })
    }
    await context.http.expect('integrations.put', 200, { params, json: { settings: { ...settings, security: 'starttls' } } })
  }),

  scenario('integrations.put', 412, 'does not create an integration if the request has If-Match', async (context) => {
    const project = await context.createProject()
    const params = { project_id: project.id, source_type: 'smtp' }
    await context.http.expect('integrations.put', 412, { params, json: { settings }, headers: { 'if-match': '*' } }, 'etag_mismatch')
    await context.expectFailure(context.client.integrations.get(project.id, 'smtp'), 404, 'not_found')
  }),

  scenario('integrations.put', 422, "returns all issues that the provider's schemas find", async (context) => {
    const project = await context.createProject()
    const params = { project_id: project.id, source_type: 'smtp' }
    const json = { settings: { host: 'smtp.example.com', port: 0, colour: 'red' }, secrets: { pasword: 'a' } }
    const response = await context.http.expect('integrations.put', 422, { params, json }, 'validation_failed')
    const issues = response.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
    const expected = [
      '/secrets/pasword unknown_field',
      '/settings/colour unknown_field',
      '/settings/from required',
      '/settings/port too_small',
    ]
    assertEqual(issues.sort(), expected, 'errors')
  }),

  scenario('integrations.put', 404, 'returns not_found for an unknown provider', async (context) => {
    const project = await context.createProject()
    await context.expectFailure(context.client.integrations.put(project.id, 'pigeon', { settings: {} }), 404, 'not_found')
  }),

  scenario('integrations.list', 200, "lists a project's integrations, oldest first", async (context) => {
    const project = await context.createProject()
    await context.client.integrations.put(project.id, 'smtp', { settings })
    await context.client.integrations.put(project.id, 'slack', { settings: {}, secrets: { token: 'xoxb-conformance' } })
    const sourceTypesByPage = async () => {
      const pages = await collectPages(context.client.integrations.list(project.id, { limit: 1 }), sourceTypeOf)
      return pages.map((page) => page.map(sourceTypeOf))
    }
    assertEqual(await sourceTypesByPage(), [['smtp'], ['slack']], 'the source_types on each page')
    await context.client.integrations.put(project.id, 'smtp', { settings })
    assertEqual(await sourceTypesByPage(), [['smtp'], ['slack']], 'the source_types on each page after the first integration changed')
  }),

  scenario('integrations.get', 200, 'returns an integration with its ETag', async (context) => {
    const project = await context.createProject()
    await context.client.integrations.put(project.id, 'smtp', { settings })
    const { data, response } = await context.client.integrations.get(project.id, 'smtp').withResponse()
    assertIncludes(data, { source_type: 'smtp', settings, secrets: {} }, 'integration')
    assert(response.headers.get('etag'), 'the response must have an ETag')
  }),

  scenario('integrations.delete', 204, 'deletes an integration', async (context) => {
    const project = await context.createProject()
    await context.client.integrations.put(project.id, 'smtp', { settings })
    await context.client.integrations.delete(project.id, 'smtp')
    await context.expectFailure(context.client.integrations.get(project.id, 'smtp'), 404, 'not_found')
  }),

  scenario('providers.list', 200, 'lists the providers with the schemas for their settings and secrets', async (context) => {
    const pages = await collectPages(context.client.providers.list({ limit: 1 }), sourceTypeOf)
    const providers = pages.flat()
    assertEqual(providers.length, pages.length, 'the number of providers, which must equal the number of pages with a limit of 1')
    const known = Object.fromEntries(providers.map(({ source_type, kind }) => [source_type, kind]))
    assertIncludes(known, { mailgun: 'email', smtp: 'email', slack: 'chat' }, 'the provider kinds')
    for (const { source_type, settings_schema, secrets_schema } of providers)
      assertEqual([settings_schema['type'], secrets_schema['type']], ['object', 'object'], `the schema types for ${source_type}`)
  }),
]
