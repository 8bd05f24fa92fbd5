import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../src/settings/load-config.ts'
import { createMachine } from './support/run-cli.ts'

const { home, run } = createMachine()

const mailFlow = { id: 1, name: 'Ops mail', source_type: 'mail', target: 'ops@example.com', created_at: '2026-01-01', active: true }
const chatFlow = { id: 2, name: 'Alerts', source_type: 'slack', target: 'C024BE91L', active: false, override_target: true, color: 'red' }
const host = { id: 1, host: 'mail.example.com', port: 587, security: 'starttls', user: 'ann', password: 'S3cret', from: 'ann@example.com' }

const exported = {
  projects: [
    { id: 7, name: 'Billing', flows: [mailFlow, chatFlow, { ...chatFlow, name: 'Old', source_type: 'fax' }] },
    { id: 8, name: '計画' },
  ],
  flows: {
    8: {
      data: [
        { ...mailFlow, name: '計画', source_type: 'webhook', target: 'plans' },
        { ...mailFlow, target: 'nobody' },
      ],
    },
  },
  hosts: [host, { ...host, host: 'other.example.com' }],
}

const importNotify = (value: unknown, ...args: string[]) =>
  run(['import', 'notify', '-', '--source-type', 'mail=smtp', ...args], {
    stdin: typeof value === 'string' ? value : JSON.stringify(value),
  })

const load = async (name: string) => (await loadConfig(name, home)).value

describe('flowpost import notify', () => {
  it('reads a file with a byte order mark, and rejects one that is not valid UTF-8', async () => {
    const write = (name: string, text: string, encoding: BufferEncoding) =>
      writeFileSync(
        join(home, name),
        Buffer.from(`${text}${JSON.stringify({ projects: [{ name: 'Café', flows: [chatFlow] }] })}`, encoding),
      )
    write('bom.json', '\ufeff', 'utf8')
    expect(await run(['import', 'notify', 'bom.json', '-o', 'bom.config.ts'])).toMatchObject({ code: 0 })
    expect(await load('bom.config.ts')).toMatchObject({ project: { name: 'Café' } })
    write('latin-1.json', '', 'latin1')
    expect(await run(['import', 'notify', 'latin-1.json', '-o', 'latin-1.config.ts'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The file latin-1.json is not valid UTF-8.'),
    })
  })

  it('writes a file for each project, with its flows and mail server', async () => {
    const result = await importNotify(exported, '--secrets-file', 'secrets.env', '--json')
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(await load('billing.config.ts')).toEqual({
      project: { key: 'billing', name: 'Billing' },
      flows: {
        'ops-mail': { name: 'Ops mail', source_type: 'smtp', target: 'ops@example.com' },
        alerts: { name: 'Alerts', active: false, source_type: 'slack', target: 'C024BE91L', override_target: true },
      },
      integrations: {
        smtp: {
          settings: { host: 'mail.example.com', port: 587, security: 'starttls', user: 'ann', from: 'ann@example.com' },
          secrets: { password: { env: 'BILLING_SMTP_PASSWORD' } },
        },
        slack: { secrets: { token: { env: 'BILLING_SLACK_TOKEN' } } },
      },
    })
    expect(await load('project.config.ts')).toEqual({
      project: { key: 'project', name: '計画' },
      flows: { flow: { name: '計画', source_type: 'webhook', target: 'plans' } },
    })
    expect(readFileSync(join(home, 'secrets.env'), 'utf8')).toBe("BILLING_SMTP_PASSWORD='S3cret'\n# BILLING_SLACK_TOKEN=\n")
    expect(result.stdout).not.toContain('S3cret')
    expect(result.json()).toEqual({
      files: [
        { path: join(home, 'billing.config.ts'), project_key: 'billing', flows: 2 },
        { path: join(home, 'project.config.ts'), project_key: 'project', flows: 1 },
      ],
      variables: ['BILLING_SMTP_PASSWORD', 'BILLING_SLACK_TOKEN'],
      missing_variables: ['BILLING_SLACK_TOKEN'],
      not_mapped: [
        { origin: 'flow "Alerts"', reason: 'Fields without a counterpart in Flowpost are left out: color.' },
        {
          origin: 'flow "Old"',
          reason: 'The source type "fax" is unknown. Specify its provider, for example with --source-type fax=smtp.',
        },
        { origin: 'host other.example.com', reason: 'A project can have only one smtp account, so only the first host is used.' },
        { origin: 'flow "Ops mail"', reason: expect.stringMatching(/^target must be an email address/) },
        { origin: 'webhook', reason: 'The export has no account for this provider. Add the integration to the config.' },
      ],
    })
  })

  it.each(['billing.config.ts', 'project.config.ts'])('writes a valid %s', async (name) => {
    expect(await run(['validate', name])).toMatchObject({ code: 0, stderr: '' })
  })

  it('writes a single project to --output, and numbers duplicate names', async () => {
    const { code } = await importNotify([{ name: 'One', flows: [mailFlow, mailFlow] }], '--project', 'One', '-o', 'one.ts')
    expect(code).toBe(0)
    expect(await load('one.ts')).toMatchObject({ project: { key: 'one' }, flows: { 'ops-mail': {}, 'ops-mail-2': {} } })
    expect(await run(['validate', 'one.ts'])).toMatchObject({ code: 0 })
  })

  it.each([
    ['{', [], 'The export is not valid JSON'],
    [{}, [], 'The export must contain "projects"'],
    [[{ name: ' ' }], [], '/projects/0/name must be a non-empty string.'],
    [[{ name: 'A', flows: [1] }], [], '/projects/0/flows must be a list of objects.'],
    [exported, ['--project', 'Nobody'], 'Projects: Billing, 計画.'],
    [exported, ['--source-type', 'smtp'], 'It must be NAME=PROVIDER, such as mail=smtp.'],
  ])('rejects %j %j', async (value, args, message) => {
    const result = await importNotify(value, '-o', 'rejected.ts', ...args)
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
    expect(existsSync(join(home, 'rejected.ts'))).toBe(false)
  })

  it('rejects --output for an export of several projects', async () => {
    const result = await importNotify(exported, '--output', 'all.config.ts', '--force')
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('--output names a single file') })
    expect(existsSync(join(home, 'all.config.ts'))).toBe(false)
  })

  it('rejects a secrets file that would overwrite a config', async () => {
    const args = ['-o', 'same.ts', '--project', 'Billing', '--force', '--secrets-file']
    expect(await importNotify(exported, ...args, './same.ts')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${join(home, 'same.ts')} cannot contain both a config and secrets.`),
    })
    expect(existsSync(join(home, 'same.ts'))).toBe(false)
  })

  it('names a secrets file that cannot be written, and then writes no config', async () => {
    const args = ['-o', 'no-secrets.ts', '--project', 'Billing', '--secrets-file', 'missing/secrets.env']
    expect(await importNotify(exported, ...args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${join(home, 'missing/secrets.env')} cannot be written: ENOENT`),
    })
    expect(existsSync(join(home, 'no-secrets.ts'))).toBe(false)
  })

  it.each([
    ['{"hosts": [\n{"password": "S3cretPassword" "from": 1}]}', 'The export is not valid JSON: line 2, column 31.'],
    ['{"hosts": [{"password": S3cretPassword}]}', 'The export is not valid JSON.'],
  ])('shows no secret of an export that is not JSON', async (stdin, message) => {
    const result = await run(['import', 'notify', '-', '-o', 'rejected.ts'], { stdin })
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
    expect(result.stderr).not.toContain('S3cret')
  })

  it.each(['x'.repeat(5_000), 'a\nb'])('rejects a project whose name is not valid', async (name) => {
    const result = await importNotify([{ name, flows: [mailFlow] }], '-o', 'odd.ts')
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('is not valid: /project/name ') })
    expect(existsSync(join(home, 'odd.ts'))).toBe(false)
  })
})
