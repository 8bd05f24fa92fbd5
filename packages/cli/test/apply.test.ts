import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { startCliServer } from './support/run-cli.ts'

const { mock, run, home } = await startCliServer()
const client = mock.client()

const flows = {
  'ops-mail': { source_type: 'smtp', target: 'ops@example.com', message_template: { html: '<h1>{{subject}}</h1>\n{{message}}' } },
  alerts: { source_type: 'slack', target: 'C024BE91L', override_target: true },
}
const secrets = { token: { env: 'BILLING_SLACK_TOKEN' } }
const variables = { env: { BILLING_SLACK_TOKEN: 'xoxb-secret' } }

let count = 0
let key = ''

/** Writes a config file for the test's project. */
const write = (fields: object = {}) => {
  const config = { project: { key, name: key }, flows, ...fields }
  writeFileSync(join(home, 'flowpost.config.ts'), `export default ${JSON.stringify(config)}`)
}

const findProject = async () => {
  for await (const project of client.projects.list()) if (project.key === key) return project
  return undefined
}

const projectId = async (): Promise<string> => (await findProject())?.id ?? ''

const flowOf = async (flowKey: string) => {
  for await (const flow of client.flows.list(await projectId())) if (flow.key === flowKey) return flow
  throw new Error(`There is no flow ${flowKey}.`)
}

beforeEach(() => {
  key = `billing-${++count}`
  write()
})

describe('flowpost plan', () => {
  it('shows what would be created, changes nothing, and exits with 2', async () => {
    const { code, stdout } = await run(['plan'])
    expect([code, stdout]).toEqual([
      2,
      `+ project ${key} is created\n+ flow ops-mail is created\n+ flow alerts is created\n\n3 to create, 0 to change, 0 to delete.\n`,
    ])
    expect(await findProject()).toBeUndefined()
  })

  it('exits with 0 if nothing would change', async () => {
    expect(await run(['apply', '--yes'])).toMatchObject({ code: 0 })
    expect(await run(['plan'])).toMatchObject({ code: 0, stdout: 'Nothing would change.\n' })
    expect((await run(['plan', '--json'])).json()).toMatchObject({ changed: false, project_id: await projectId() })
  })

  it('shows each changed field with both values, and only the lines of a template that change', async () => {
    await run(['apply', '--yes'])
    write({
      flows: {
        ...flows,
        'ops-mail': {
          ...flows['ops-mail'],
          target: 'new@example.com',
          message_template: { html: '<h1>{{subject}}</h1>\n<p>{{message}}</p>' },
        },
      },
    })
    const { code, stdout } = await run(['plan'])
    expect(code).toBe(2)
    expect(stdout).toContain('~ flow ops-mail changes\n    target: "ops@example.com" → "new@example.com"\n')
    expect(stdout).toContain('    message_template: {{message}} → <p>{{message}}</p>\n\n0 to create, 1 to change, 0 to delete.\n')
  })

  it('warns about a flow that the file does not contain, and deletes the flow only with --prune', async () => {
    await run(['apply', '--yes'])
    write({ flows: { alerts: flows.alerts } })
    const kept = await run(['plan'])
    expect([kept.code, kept.stderr]).toEqual([0, expect.stringContaining('The flow `ops-mail` is not in the document.')])
    expect(await run(['plan', '--prune'])).toMatchObject({ code: 2, stdout: expect.stringContaining('- flow ops-mail is deleted\n') })
  })

  it('needs no variable for a secret that the server has, and does not compare the secret', async () => {
    write({ integrations: { slack: { secrets } } })
    expect(await run(['plan'])).toMatchObject({ code: 1, stderr: expect.stringContaining('not set: BILLING_SLACK_TOKEN.') })
    const applied = await run(['apply', '--yes'], variables)
    expect([applied.code, applied.stdout]).toEqual([0, expect.not.stringContaining('xoxb')])
    const { code, stdout, stderr } = await run(['plan'])
    expect([code, stdout]).toEqual([0, 'Nothing would change.\n'])
    expect(stderr).toContain('These secrets cannot be compared, so `flowpost apply` sets them again: slack/token.')
  })

  it('sends a secret again when the server requires it for another host', async () => {
    const smtp = (host: string) => ({
      integrations: {
        smtp: { settings: { host, user: 'billing', from: 'billing@example.com' }, secrets: { password: { env: 'SMTP_PASSWORD' } } },
      },
    })
    const env = { SMTP_PASSWORD: 'hunter2' }
    write(smtp('smtp.example.com'))
    expect(await run(['apply', '--yes'], { env })).toMatchObject({ code: 0 })
    expect(await run(['plan'])).toMatchObject({ code: 0 })
    write(smtp('smtp.example.net'))
    expect(await run(['plan'])).toMatchObject({ code: 1, stderr: expect.stringContaining('not set: SMTP_PASSWORD.') })
    const { code, stdout } = await run(['plan'], { env })
    expect(code).toBe(2)
    expect(stdout).toContain('    settings/host: "smtp.example.com" → "smtp.example.net"\n')
    expect(stdout).toContain('    secrets/password: is set (value hidden)\n')
  })

  it('reports where in the file a rejected value is', async () => {
    write({ flows: { ...flows, alerts: { ...flows.alerts, target: 'no channel' } } })
    expect(await run(['plan'])).toMatchObject({ code: 1, stderr: expect.stringContaining('body /flows/alerts/target: ') })
  })

  it('rejects an invalid file without a request', async () => {
    write({ flows: { alerts: {} } })
    expect(await run(['plan'])).toMatchObject({ code: 1, stderr: expect.stringContaining('/flows/alerts/target  is required.') })
  })
})

describe('flowpost apply', () => {
  it('shows the changes, asks for confirmation, and applies the changes', async () => {
    expect(await run(['apply'], { answers: [false] })).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was applied.') })
    expect(await findProject()).toBeUndefined()
    const { code, stdout } = await run(['apply'], { answers: [true] })
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\+ project [\s\S]+\nApplied\.\n$/)])
    expect(await flowOf('ops-mail')).toMatchObject({
      name: 'ops-mail',
      target: 'ops@example.com',
      message_template_type: 'text/html',
      active: true,
    })
    expect(await run(['apply'])).toMatchObject({ code: 0, stdout: 'Nothing to change.\n' })
  })

  it('does not apply without a terminal or --yes', async () => {
    expect(await run(['apply'], { stdin: '' })).toMatchObject({ code: 1, stderr: expect.stringContaining('Pass --yes.') })
    expect((await run(['apply', '--yes', '--json'], { stdin: '' })).json()).toMatchObject({ applied: true, project_id: await projectId() })
  })

  it('applies nothing if the settings have changed since the plan, and says so', async () => {
    await run(['apply', '--yes'])
    write({ flows: { ...flows, alerts: { ...flows.alerts, active: false } } })
    const { id, project_id } = await flowOf('ops-mail')
    const answers: boolean[] = []
    // The person answers after somebody else has changed a flow.
    const answer = { shift: async () => client.flows.patch(project_id, id, { target: 'else@example.com' }).then(() => true) }
    const { code, stderr } = await run(['apply'], { answers: Object.assign(answers, answer) as never })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/The settings of the project have changed[\s\S]+Run the command again/)])
    expect(await flowOf('alerts')).toMatchObject({ active: true })
  })

  it('sets every secret again, or with --keep-secrets only missing ones', async () => {
    write({ integrations: { slack: { secrets } } })
    await run(['apply', '--yes'], variables)
    expect(await run(['apply', '--yes'], variables)).toMatchObject({ code: 0, stdout: 'Secrets to set again: slack/token.\nApplied.\n' })
    expect(await run(['apply', '--yes'])).toMatchObject({ code: 1, stderr: expect.stringContaining('not set: BILLING_SLACK_TOKEN.') })
    expect(await run(['apply', '--yes', '--keep-secrets'])).toMatchObject({ code: 0, stdout: 'Nothing to change.\n' })
  })

  it('deletes with --prune', async () => {
    await run(['apply', '--yes'])
    write({ flows: { alerts: flows.alerts } })
    expect(await run(['apply', '--yes', '--prune'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Applied. Deleted: 1.') })
    await expect(flowOf('ops-mail')).rejects.toThrow('There is no flow')
  })
})

describe('flowpost drift', () => {
  it('exits with 2 if somebody has changed the server', async () => {
    await run(['apply', '--yes'])
    expect(await run(['drift'])).toMatchObject({ code: 0, stdout: 'The server matches the file.\n' })
    const { id, project_id } = await flowOf('alerts')
    await client.flows.patch(project_id, id, { active: false })
    const { code, stdout } = await run(['drift'])
    expect([code, stdout]).toEqual([2, expect.stringContaining('~ flow alerts changes\n    active: false → true\n')])
  })

  it('notices resources that only the server has, unless --listed-only is given', async () => {
    await run(['apply', '--yes'])
    write({ flows: { alerts: flows.alerts } })
    expect((await run(['drift', '--json'])).json()).toMatchObject({
      changed: true,
      changes: expect.arrayContaining([expect.objectContaining({ action: 'delete', key: 'ops-mail' })]),
    })
    expect(await run(['drift', '--listed-only'])).toMatchObject({ code: 0 })
    expect(await flowOf('ops-mail')).toMatchObject({ active: true })
  })
})

describe('flowpost pull', () => {
  it('writes a file that describes the server exactly, without secrets', async () => {
    const template = 'Dear `customer` $' + "{name},\n\tit's \\ done.\r\n{{message}}"
    write({
      flows: { ...flows, odd: { ...flows.alerts, name: "It's odd\\", active: false, message_template: template } },
      integrations: { slack: { secrets } },
    })
    await run(['apply', '--yes'], variables)
    const { code, stdout } = await run(['pull', 'pulled.ts', '--project', key])
    const path = join(home, 'pulled.ts')
    expect([code, stdout]).toEqual([0, `Wrote ${path} with 3 flows.\n`])
    expect(readFileSync(path, 'utf8')).toContain(`// secrets: { token: { env: 'BILLING_${count}_SLACK_TOKEN' } },`)
    expect(readFileSync(path, 'utf8')).not.toContain('xoxb')
    expect(await run(['drift', 'pulled.ts'])).toMatchObject({ code: 0, stdout: 'The server matches the file.\n' })
  })

  it('does not overwrite a file without --force', async () => {
    await run(['apply', '--yes'])
    writeFileSync(join(home, 'mine.ts'), 'mine')
    expect(await run(['pull', 'mine.ts', '-p', key])).toMatchObject({ code: 1, stderr: expect.stringContaining('Pass --force') })
    expect(readFileSync(join(home, 'mine.ts'), 'utf8')).toBe('mine')
    expect(await run(['pull', 'mine.ts', '-p', key, '--force'])).toMatchObject({ code: 0 })
    expect(await run(['validate', 'mine.ts'])).toMatchObject({ code: 0 })
  })

  it('names a flow in a warning by its key, as the other commands do', async () => {
    write({ flows: { ...flows, typo: { ...flows.alerts, message_template: '{{message}} {{ message }}' } } })
    const pointer = '/flows/typo/message_template'
    for (const args of [['validate'], ['plan'], ['drift'], ['apply', '--yes'], ['pull', 'typo.ts', '-p', key, '--force']]) {
      expect((await run([...args, '--json'])).json().warnings).toContainEqual(expect.objectContaining({ pointer }))
      expect((await run(args)).stderr).toContain(`Warning: ${pointer}  `)
    }
  })

  it('warns about flows without a key, and rejects a project without a key', async () => {
    await run(['apply', '--yes'])
    mock.seed.flow({ project: (await findProject()) as never, name: 'manual' })
    expect(await run(['pull', 'warned.ts', '-p', key])).toMatchObject({ code: 0, stderr: expect.stringContaining('1 flow has no key') })
    mock.seed.project({ name: 'keyless' })
    expect(await run(['pull', 'keyless.ts', '-p', 'keyless'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has no project key'),
    })
  })
})
