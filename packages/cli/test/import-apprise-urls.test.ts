// cspell:ignore westus
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../src/settings/load-config.ts'
import { createMachine } from './support/run-cli.ts'

const { home, run } = createMachine()

const importUrl = async (url: string) => {
  const result = await run(['import', 'apprise', url, '--project', 'ops', '--secrets-file', '.env', '--force', '--json'])
  expect(result).toMatchObject({ code: 0, stderr: '' })
  const { value } = await loadConfig(undefined, home)
  return { config: value, report: result.json(), variables: readFileSync(join(home, '.env'), 'utf8') }
}

const template = '{{subject}}\n{{message}}'
const mailSettings = { host: 'example.com', port: 587, security: 'starttls', user: 'ann', from: 'ann@example.com' }

/** A URL, and the flows, integrations and secrets that are created from it. */
type MappedUrl = readonly [url: string, flows: object, integrations: object, secrets: Readonly<Record<string, unknown>>]

describe('flowpost import apprise', () => {
  it.each<MappedUrl>([
    [
      'mailtos://ann:p%20w@example.com?to=ops@example.com&name=Ann&reply=help@example.com',
      { 'smtp-ops-example-com': { source_type: 'smtp', target: 'ops@example.com' } },
      { smtp: { settings: { ...mailSettings, from: '"Ann" <ann@example.com>', reply_to: 'help@example.com' } } },
      { OPS_SMTP_PASSWORD: 'p w' },
    ],
    [
      'mailto://ann:pw@gmail.com',
      { 'smtp-ann-gmail-com': { source_type: 'smtp', target: 'ann@gmail.com' } },
      { smtp: { settings: { ...mailSettings, host: 'smtp.gmail.com', user: 'ann@gmail.com', from: 'ann@gmail.com' } } },
      { OPS_SMTP_PASSWORD: 'pw' },
    ],
    [
      'mailto://localhost:2525?from=ann@example.com&to=a@example.com,b@example.com',
      {
        'smtp-a-example-com': { source_type: 'smtp', target: 'a@example.com' },
        'smtp-b-example-com': { source_type: 'smtp', target: 'b@example.com' },
      },
      { smtp: { settings: { host: 'localhost', port: 2525, security: 'none', from: 'ann@example.com' } } },
      {},
    ],
    [
      'mailgun://ann@mg.example.com/key-1/ops@example.com?region=eu',
      { 'mailgun-ops-example-com': { source_type: 'mailgun', target: 'ops@example.com' } },
      { mailgun: { settings: { domain: 'mg.example.com', region: 'eu', from: 'ann@mg.example.com' } } },
      { OPS_MAILGUN_API_KEY: 'key-1' },
    ],
    [
      'slack://xoxb-1-Ab/+C024BE91L',
      { 'slack-c024be91l': { source_type: 'slack', target: 'C024BE91L', message_template: template } },
      { slack: { settings: {} } },
      { OPS_SLACK_TOKEN: 'xoxb-1-Ab' },
    ],
    ...['discord://1234/T0ken', 'https://discord.com/api/webhooks/1234/T0ken'].map(
      (url) =>
        [
          url,
          { 'discord-1': { source_type: 'discord', target: 'discord-1', message_template: template } },
          { discord: { settings: {} } },
          { OPS_DISCORD_URL_1: 'https://discord.com/api/webhooks/1234/T0ken' },
        ] as const,
    ),
    [
      'workflows://Prod.westus.logic.azure.com/wf/s1g',
      { 'teams-1': { source_type: 'teams', target: 'teams-1', message_template: template } },
      { teams: { settings: {} } },
      {
        OPS_TEAMS_URL_1:
          'https://prod.westus.logic.azure.com/workflows/wf/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=s1g',
      },
    ],
    [
      'workflows://prod.westus.logic.azure.com/wf/s1g?pa=yes',
      { 'teams-1': { source_type: 'teams', target: 'teams-1', message_template: template } },
      { teams: { settings: {} } },
      {
        OPS_TEAMS_URL_1:
          'https://prod.westus.logic.azure.com/powerautomate/automations/direct/workflows/wf/triggers/manual/paths/invoke?api-version=2022-03-01-preview&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=s1g',
      },
    ],
    [
      'jsons://hooks.example.com:8443/a%20b?-team=x',
      { 'webhook-1': { source_type: 'webhook', target: 'webhook-1' } },
      { webhook: { settings: {} } },
      {
        OPS_WEBHOOK_SIGNING_SECRET: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
        OPS_WEBHOOK_URL_1: 'https://hooks.example.com:8443/a%20b?team=x',
      },
    ],
  ])('maps %s', async (url, flows, integrations, secrets) => {
    const { config, report, variables } = await importUrl(url)
    expect(config).toMatchObject({ project: { key: 'ops', name: 'ops' }, integrations })
    expect(config).toHaveProperty('flows', flows)
    const written = variables.split('\n').filter(Boolean)
    expect(Object.fromEntries(written.map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 2, -1)]))).toEqual(secrets)
    expect(report.variables.sort()).toEqual(Object.keys(secrets).sort())
    expect(report.missing_variables).toEqual([])
    expect(await run(['validate'])).toMatchObject({ code: 0 })
  })

  it.each([
    ['mailto://ann:pw@example.com', ['sends without TLS']],
    ['mailtos://ann:pw@example.com?cc=x@example.com&reply=a@a.com,b@a.com', ['cc= and bcc= are left out', 'only the first address']],
    [
      'slack://xoxb-1/C024BE91L/general?footer=no&blocks=yes&-a=1',
      ['general is left out', 'parameters without a Flowpost counterpart are left out: blocks=, -a='],
    ],
    ['mailtos://ann:pw@example.com?to=nobody,ops@example.com', ['target must be an email address']],
    ['json://example.com/hook?-a=1', ['its fields differ from those of Apprise', 'works only in networks that the server allows']],
  ])('reports what is lost from %s', async (url, reasons) => {
    const { report } = await importUrl(url)
    const expected = reasons.map((reason) => ({ origin: 'URL 1', reason: expect.stringContaining(reason) }))
    expect(report.not_mapped).toEqual(expected)
  })

  it.each([
    ['slack://T1/B2/S3cret', 'Flowpost uses a bot token, not a Slack webhook.'],
    ['https://hooks.slack.com/services/T1/B2/S3cret', 'Flowpost uses a bot token, not a Slack webhook.'],
    ['https://example.com/S3cret', 'For a webhook, use json:// or jsons://.'],
    ['slack://xoxb-S3cret/general', 'general: A flow needs a channel id'],
    ['discord://1234', 'The URL needs a webhook id and token'],
    ['workflows://example.com/wf/S3cret', 'The URL needs a Power Automate host'],
    ['mailtos://ann:S3cret@outlook.com', 'Microsoft does not accept passwords for SMTP.'],
    ['mailtos://example.com', 'The URL has no sender.'],
    ['mailgun://ann@mg.example.com', 'The URL needs a user, a domain and an API key'],
    ['jsons://ann:S3cret@example.com', 'The receiver needs HTTP authentication.'],
    ['jsons://example.com?+authorization=S3cret', 'Flowpost sends no custom headers.'],
    ['jsons://example.com?method=put', 'Flowpost sends POST requests only.'],
    ['msteams://S3cret/1', 'Create a Teams workflow'],
    ['telegram://S3cret/1', 'Flowpost has no provider for telegram://.'],
    ['constructor://S3cret', 'Flowpost has no provider for constructor://.'],
    ['jsons://example.com:99999/', 'This is not an Apprise URL'],
  ])('rejects %s without printing its secret', async (url, reason) => {
    const { code, stdout, stderr } = await run(['import', 'apprise', url, '-o', 'none.ts'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('Nothing could be imported.')
    expect(stderr).toContain(reason)
    expect(stderr).not.toContain('S3cret')
  })
})
