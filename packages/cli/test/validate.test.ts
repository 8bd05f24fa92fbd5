import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { defineConfig, html } from '../src/index.ts'
import { findConfigIssues, findConfigWarnings } from '../src/settings/validate-config.ts'
import { createMachine } from './support/run-cli.ts'

const { home, run } = createMachine()

const config = defineConfig({
  project: { key: 'billing', name: 'Billing' },
  flows: {
    'ops-mail': { source_type: 'smtp', target: 'ops@example.com', message_template: html`<h1>{{subject}}</h1>{{message}}` },
    alerts: { source_type: 'slack', target: 'C024BE91L', override_target: true },
  },
  integrations: { slack: { secrets: { token: { env: 'BILLING_SLACK_TOKEN' } } } },
})

class Reference {
  env = 'TOKEN'
}
class Template {
  html = '<b>{{message}}</b>'
}

const flow = (fields: object) => ({ ...config, flows: { 'ops-mail': { ...config.flows['ops-mail'], ...fields } } })

describe('html', () => {
  it('escapes strings, inserts templates, and removes shared indentation', () => {
    const footer = html`<p>${'A & <B>'}</p>`
    expect(html`
      <h1>{{subject}}</h1>
        ${footer}
    `).toEqual({ html: '<h1>{{subject}}</h1>\n  <p>A &amp; &lt;B&gt;</p>' })
  })

  it('joins the items of a list, and rejects other objects', () => {
    const items = ['A & B', 'C']
    expect(html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>${['<', 1]}${[]}`).toEqual({
      html: '<ul><li>A &amp; B</li><li>C</li></ul>&lt;1',
    })
    // @ts-expect-error A promise cannot be inserted.
    expect(() => html`${Promise.resolve('a')}`).toThrow(TypeError)
    // @ts-expect-error A date cannot be inserted.
    expect(() => html`${[new Date(0)]}`).toThrow('Only strings, numbers, html templates and lists of these can be inserted')
  })

  // JavaScript has no text for a part with an invalid escape.
  const templateOf = (raw: string) => Object.assign([undefined], { raw: [raw] }) as unknown as TemplateStringsArray

  it.each([
    ['li::before { content: "\\2022 " }', '\\2022'],
    ['\\\\2014 \\x20 \\u00a0 \\u{1f600} \\n \\0 \\users', '\\users'],
    ['C:\\xylophone', '\\xylophone'],
    ['\\01', '\\01'],
  ])('rejects the invalid escape in %s', (raw, shown) => {
    expect(() => html(templateOf(raw))).toThrow(
      new TypeError(`The html template contains the invalid escape ${shown}. For a backslash, write \\${shown}.`),
    )
  })
})

describe('a config', () => {
  it('has no issues if it is valid', () => {
    expect(findConfigIssues(config)).toEqual([])
  })

  it('has no issues if its texts are valid after they are trimmed, as the server does', () => {
    const name = `${'x'.repeat(255)}\n `
    const receiver = { url: null, events: ['delivery.failed'], description: ' ' }
    const valid = { ...config, project: { key: 'billing', name }, event_endpoints: { receiver } }
    expect(findConfigIssues(valid)).toEqual([])
  })

  it('has no issues if a URL is named env', () => {
    const flows = { alerts: { source_type: 'discord', target: 'env' } }
    const withUrls = (urls: object) => ({ project: config.project, flows, integrations: { discord: { secrets: { urls } } } })
    expect(findConfigIssues(withUrls({ env: { env: 'A' } }))).toEqual([])
    expect(findConfigIssues(withUrls({ env: { env: 'A' }, ops: { env: 'B' } }))).toEqual([])
    expect(findConfigIssues(withUrls({ env: 1 }))).toMatchObject([{ pointer: '/integrations/discord/secrets/urls/env' }])
  })

  it('has a warning for a misspelled placeholder, which the server accepts', () => {
    const misspelled = flow({ message_template: html`{{ subject }} {{Message}} {{message}}` })
    const warning = (placeholder: string) => ({
      pointer: '/flows/ops-mail/message_template',
      message: `contains ${placeholder}, which is sent unchanged. Write {{subject}} or {{message}}.`,
    })
    expect(findConfigIssues(misspelled)).toEqual([])
    expect(findConfigWarnings(misspelled)).toEqual([warning('{{ subject }}'), warning('{{Message}}')])
    expect(findConfigWarnings(config)).toEqual([])
  })

  it.each([
    ['', 1, 'must be a plain object.'],
    ['/project', { flows: {} }, 'must be a plain object.'],
    ['/flows', { project: config.project }, 'must be a plain object.'],
    ['/project/key', { ...config, project: { key: 'Billing', name: 'Billing' } }, 'is not a valid key.'],
    ['/project/name', { ...config, project: { key: 'billing', name: ' ' } }, 'must not be empty.'],
    ['/flows', { ...config, flows: new Map([['alerts', config.flows.alerts]]) }, 'must be a plain object.'],
    ['/integrations', { ...config, integrations: new Map() }, 'must be a plain object.'],
    ['/flow', { ...config, flow: {} }, 'is not a valid field. Valid fields: project, flows, integrations, event_endpoints.'],
    ['/flows/A~1b', { ...config, flows: { 'A/b': config.flows.alerts } }, 'is not a valid key.'],
    ['/flows/ops-mail/targets', flow({ targets: 'x' }), 'is not a valid field.'],
    ['/flows/ops-mail/target', flow({ target: undefined }), 'is required.'],
    ['/flows/ops-mail/target', flow({ target: 'C024BE91L' }), 'must be an email address'],
    ['/flows/ops-mail/active', flow({ active: 'no' }), 'must be true or false.'],
    ['/flows/ops-mail/name', flow({ name: 'a\nb' }), 'must not contain control characters.'],
    [
      '/flows/ops-mail/message_template',
      flow({ message_template: '{{message}}'.repeat(33) }),
      'has 33 placeholders; at most 32 are permitted.',
    ],
    ['/flows/ops-mail/message_template_type', flow({ message_template_type: 'text/plain' }), 'must not be "text/plain"'],
    ['/flows/ops-mail/source_type', flow({ source_type: 'SMTP' }), 'must be the name of a provider'],
    [
      '/integrations/slack/secrets/token',
      { ...config, integrations: { slack: { secrets: { token: 'xoxb-1' } } } },
      'Put the secret in an environment variable, not in the file.',
    ],
    [
      '/integrations/slack/secrets/token',
      { ...config, integrations: { slack: { secrets: { token: new Reference() } } } },
      'must be a plain object.',
    ],
    ['/flows/ops-mail/message_template', flow({ message_template: new Template() }), 'must be a plain object.'],
    ['/integrations/slack/token', { ...config, integrations: { slack: { token: 1 } } }, 'is not a valid field.'],
  ])('is rejected at %s', (pointer, value, message) => {
    const issues = findConfigIssues(value)
    expect(issues).toContainEqual({ pointer, message: expect.stringContaining(message) })
    expect(JSON.stringify(issues)).not.toContain('xoxb-1')
  })
})

describe('the settings of an integration', () => {
  const withSettings = (settings: object) => ({ ...config, integrations: { custom: { settings } } })
  const shared = { host: 'a.example.com' }
  const circular: Record<string, unknown> = { shared }
  circular['list'] = [circular]

  it('can contain everything that JSON can represent, and undefined', () => {
    expect(findConfigIssues(withSettings({ a: ['x', 1, true, null, { b: undefined }], shared, again: shared }))).toEqual([])
    expect(findConfigIssues(withSettings({ url: new URL('https://a.example.com'), times: [new Date(0)] }))).toEqual([])
    expect(findConfigIssues(withSettings(runInNewContext('({ a: { b: [{}] } })')))).toEqual([])
  })

  it.each([
    ['/port', { port: 25n }, 'must be a value that JSON can represent.'],
    ['/ports/1', { ports: [1, Number.NaN] }, 'must be a value that JSON can represent.'],
    ['/hosts/0', { hosts: [undefined] }, 'must be a value that JSON can represent.'],
    // biome-ignore lint/suspicious/noSparseArray: the missing item would become null.
    ['/hosts/0', { hosts: [, 'a'] }, 'must be a value that JSON can represent.'],
    ['/url/port', { url: { toJSON: () => ({ port: 25n }) } }, 'must be a value that JSON can represent.'],
    ['/a~1b/create', { 'a/b': { create: () => 1 } }, 'must be a value that JSON can represent.'],
    ['/hosts', { hosts: new Map() }, 'must be a plain object.'],
    ['/list/0', circular, 'must not contain itself.'],
  ])('are rejected at %s', (pointer, settings, message) => {
    expect(findConfigIssues(withSettings(settings))).toEqual([{ pointer: `/integrations/custom/settings${pointer}`, message }])
  })

  it('and its secrets are rejected if they contain themselves', () => {
    const urls: Record<string, unknown> = {}
    urls['ops'] = urls
    const issues = findConfigIssues({ ...config, integrations: { discord: { secrets: { urls } } } })
    expect(issues).toEqual([{ pointer: '/integrations/discord/secrets/urls/ops', message: 'must not contain itself.' }])
  })
})

describe('flowpost validate', () => {
  it('accepts a TypeScript file that imports the package', async () => {
    writeFileSync(
      join(home, 'flowpost.config.ts'),
      `import { defineConfig, html } from '@flowpost/cli'
const target: string = 'ops@example.com'
export default defineConfig({
  project: { key: 'billing', name: 'Billing' },
  flows: { 'ops-mail': { source_type: 'smtp', target, message_template: html\`<b>{{message}}</b>\` } },
})`,
    )
    const { code, stdout, stderr } = await run(['validate'])
    expect([code, stdout, stderr]).toEqual([0, `${join(home, 'flowpost.config.ts')} is valid.\n`, ''])
  })

  it('shows warnings and exits with 0', async () => {
    const flows = `{ a: { source_type: 'slack', target: 'C024BE91L', message_template: '{{ message }}' } }`
    writeFileSync(join(home, 'warned.mjs'), `export default { project: { key: 'a', name: 'A' }, flows: ${flows} }`)
    const { code, stdout, stderr } = await run(['validate', 'warned.mjs'])
    expect([code, stdout]).toEqual([0, `${join(home, 'warned.mjs')} is valid.\n`])
    expect(stderr).toBe(
      'Warning: /flows/a/message_template  contains {{ message }}, which is sent unchanged. Write {{subject}} or {{message}}.\n',
    )
    expect((await run(['validate', 'warned.mjs', '--json'])).json()).toMatchObject({
      valid: true,
      issues: [],
      warnings: [{ pointer: '/flows/a/message_template' }],
    })
  })

  it('lists every issue and exits with 1', async () => {
    writeFileSync(join(home, 'bad.mjs'), `export default { project: { key: 'A' }, flows: {} }`)
    const result = await run(['validate', 'bad.mjs', '--json'])
    expect(result.code).toBe(1)
    expect(result.json()).toMatchObject({ valid: false, issues: [{ pointer: '/project/key' }, { pointer: '/project/name' }] })
    expect((await run(['validate', 'bad.mjs'])).stdout).toContain('/project/name  is required.\n2 issues in ')
  })

  it.each([
    ['missing.ts', undefined, 'There is no file missing.ts.'],
    ['empty.mjs', 'export const config = {}', 'has no default export.'],
    ['broken.mjs', 'throw new Error("no")', 'cannot be loaded: no (line 1)'],
    [
      'typed.ts',
      'interface Team {\n  readonly mail: string\n}\n\nconst team = (): Team => {\n  throw new Error("no")\n}\nexport default { team: team() }',
      'cannot be loaded: no (line 6)',
    ],
    ['syntax.ts', 'export default {\n', 'syntax.ts:2:0\n'],
    [
      'escape.ts',
      "import { html } from '@flowpost/cli'\nexport default { template: html`<li>\\2022</li>` }",
      'cannot be loaded: The html template contains the invalid escape \\2022. For a backslash, write \\\\2022. (line 2)',
    ],
  ])('rejects the file %s', async (name, source, message) => {
    if (source !== undefined) writeFileSync(join(home, name), source)
    const { code, stderr } = await run(['validate', name])
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
  })
})
