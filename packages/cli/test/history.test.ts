import { describe, expect, it } from 'vitest'
import { startCliServer } from './support/run-cli.ts'

const { mock, run } = await startCliServer()
const flowpost = mock.client()
const billing = await flowpost.projects.create({ name: 'billing' })
const flow = await flowpost.flows.create(billing.id, { name: 'ops-mail', key: 'ops', source_type: 'smtp', target: 'ops@example.com' })
await flowpost.flows.patch(billing.id, flow.id, { target: 'admin@example.com', active: false })
await flowpost.integrations.put(billing.id, 'slack', { settings: {}, secrets: { token: 'xoxb-1' } })
await flowpost.integrations.put(billing.id, 'slack', { settings: {}, secrets: { token: 'xoxb-2' } })
const other = await flowpost.projects.create({ name: 'sales' })

const changesOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/).slice(1))

describe('flowpost history', () => {
  it('lists the changes newest first, with the keys that made them', async () => {
    const { code, stdout } = await run(['history'])
    const [entry] = (await flowpost.settings.history()).data
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^CHANGED +BY +CHANGE\n/)])
    expect(changesOf(stdout)).toEqual(
      [
        'project sales created',
        'integration slack changed: secrets/token',
        'integration slack created',
        'flow ops changed: active, target',
        'flow ops created',
        'project billing created',
      ].map((change) => [entry?.changed_by, change]),
    )
  })

  it('lists the changes to a project, up to a limit', async () => {
    expect(changesOf((await run(['history', '--project', 'sales'])).stdout)).toHaveLength(1)
    const { stdout } = await run(['history', '-p', billing.id, '-n', '2', '--json'])
    const entries = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(entries).toEqual((await flowpost.settings.history({ project_id: billing.id, limit: 2 })).data)
  })

  it('shows values, but not those of secrets', async () => {
    const { stdout } = await run(['history', '--project', 'billing', '--values'])
    expect(stdout).toContain(
      '  flow ops changed: active, target\n    active: true → false\n    target: "ops@example.com" → "admin@example.com"\n',
    )
    expect(stdout).toContain('    secrets/token: is set (value hidden)\n')
    expect(stdout).not.toContain('xoxb')
  })

  it('shows that a secret was removed', async () => {
    const { id } = await flowpost.projects.create({ name: 'mail' })
    const settings = { host: 'mail.example.com', from: 'ops@example.com' }
    await flowpost.integrations.put(id, 'smtp', { settings: { ...settings, user: 'ops' }, secrets: { password: 'correct horse' } })
    await flowpost.integrations.put(id, 'smtp', { settings, secrets: { password: null } })
    const { stdout } = await run(['history', '--project', 'mail', '--values', '--limit', '1'])
    expect(stdout).toContain('    settings/user: "ops" → nothing\n    secrets/password: is removed\n')
  })

  it('lists the changes to a deleted project, given by id', async () => {
    await flowpost.projects.delete(other.id)
    const { stdout } = await run(['history', '--project', other.id])
    expect(changesOf(stdout).map(([, change]) => change)).toEqual(['project sales deleted', 'project sales created'])
  })

  it('says that there are no changes, and rejects an unknown project', async () => {
    const empty = await startCliServer()
    expect(await empty.run(['history'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('No changes are recorded.'),
    })
    const unknown = await run(['history', '--project', 'unknown'])
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no project unknown.') })
  })

  it('removes escape sequences from text that the server sends', async () => {
    await flowpost.projects.update(billing.id, { name: 'red\u202e' })
    for (const args of [['history'], ['history', '--values'], ['history', '--json']]) {
      const { stdout } = await run(args)
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
    }
  })
})
