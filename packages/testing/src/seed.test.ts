import { builtInSourceTypes } from '@flowpost/contract'
import { describe, expect, it } from 'vitest'
import { createFlowpostMock } from './mock.ts'

describe('a seeded resource', () => {
  it('equals a resource created by a request', async () => {
    const mock = createFlowpostMock()
    const project = mock.seed.project({ name: ' billing ' })
    const flow = mock.seed.flow({ project, name: 'operations', source_type: 'slack', target: 'C024BE91L', active: false })
    expect(project.name).toBe('billing')
    const flowpost = mock.client()
    expect(await flowpost.projects.get(project.id)).toEqual(project)
    expect(await flowpost.flows.get(project.id, flow.id)).toEqual(flow)
    expect(flow).toMatchObject({ active: false, message_template: '{{message}}', warnings: [{ code: 'unescaped_message' }] })
    expect(mock.requests).toHaveLength(2)
  })

  it('needs no fields', async () => {
    const mock = createFlowpostMock()
    const [one, other] = [mock.seed.flow(), mock.seed.flow()]
    expect(one.project_id).not.toBe(other.project_id)
    await mock.client().notifications.send({ project_id: one.project_id, subject: 'a', message: 'b' })
    expect(mock.outbox).toHaveLength(1)
  })

  it('belongs to the user of its project', async () => {
    const mock = createFlowpostMock()
    const flow = mock.seed.flow({ project: mock.seed.project({ user: 'alice' }) })
    await expect(mock.client().flows.get(flow.project_id, flow.id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(mock.client({ user: 'alice' }).flows.get(flow.project_id, flow.id)).resolves.toEqual(flow)
  })

  it('has a name that no other project of its user has', async () => {
    const mock = createFlowpostMock()
    mock.seed.project({ name: 'project 3' })
    const second = mock.seed.project()
    const [third, fourth] = [mock.seed.project(), mock.seed.project({ user: 'alice' })]
    await mock.client().projects.delete(second.id)
    const names = [second, third, fourth, mock.seed.project()].map(({ name }) => name)
    expect(names).toEqual(['project 2', 'project 4', 'project 4', 'project 5'])
  })

  it("is an API key that is not the key of its user's client", async () => {
    const mock = createFlowpostMock()
    const user = 'alice'
    mock.seed.apiKey({ user, mode: 'test' })
    mock.seed.apiKey({ user, scopes: ['notifications:send'], expiresAt: new Date(0) })
    const { project_id } = mock.seed.flow({ project: mock.seed.project({ user }) })
    const { test } = await mock.client({ user }).notifications.send({ project_id, subject: 'a', message: 'b' })
    expect(test).toBe(false)
    expect((await mock.client({ user }).apiKeys.list()).data).toHaveLength(3)
  })

  it('is an API key with the given scopes, project and expiry', async () => {
    const mock = createFlowpostMock({ time: 'manual' })
    const project = mock.seed.project()
    const expiresAt = new Date(mock.clock.now() + 1_000)
    const apiKey = mock.seed.apiKey({ scopes: ['settings:read'], project, expiresAt })
    const flowpost = mock.client({ apiKey, maxRetries: 0 })
    expect((await flowpost.projects.list()).data).toEqual([project])
    await expect(flowpost.flows.create(project.id, { name: 'a', source_type: 'smtp', target: 'a@example.com' })).rejects.toMatchObject({
      code: 'scope_missing',
    })
    await mock.clock.advance(1_000)
    await expect(flowpost.projects.list()).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it('is an integration with the given credentials', async () => {
    const mock = createFlowpostMock()
    const project = mock.seed.project()
    const integration = mock.seed.integration({
      project,
      source_type: 'smtp',
      settings: { host: 'mail.example.com', from: 'a@example.com' },
      secrets: { password: 'a' },
    })
    expect(await mock.client().integrations.get(project.id, 'smtp')).toEqual(integration)
  })

  it('is an integration for any built-in provider without other fields', async () => {
    const mock = createFlowpostMock()
    const project = mock.seed.project()
    for (const source_type of builtInSourceTypes) {
      const integration = mock.seed.integration({ project, source_type })
      expect(await mock.client().integrations.get(project.id, source_type)).toEqual(integration)
    }
    expect(mock.seed.integration().source_type).toBe('smtp')
  })

  it('is an integration with given values merged into valid defaults', () => {
    const { settings, secrets } = createFlowpostMock().seed.integration({ settings: { port: 2525 }, secrets: { password: 'a' } })
    expect(settings).toMatchObject({ host: 'mail.example.com', port: 2525 })
    expect(secrets).toMatchObject({ password: { set: true } })
  })

  it('has defaults for fields that are undefined', () => {
    const { seed } = createFlowpostMock()
    const of = { project: undefined, project_id: undefined }
    expect(seed.project({ name: undefined, key: undefined, user: undefined }).name).toBe('project 1')
    expect(seed.flow({ ...of, name: undefined, target: undefined })).toMatchObject({ name: 'flow 1', target: 'ops@example.com' })
    expect(seed.eventEndpoint({ ...of, url: undefined, events: undefined }).url).toBe('https://events.example.com/')
    const integration = { ...of, source_type: 'mailgun', settings: { domain: undefined }, secrets: { api_key: undefined } }
    expect(seed.integration(integration)).toMatchObject({ settings: { domain: 'mg.example.com' }, secrets: { api_key: { set: true } } })
    expect(seed.apiKey({ ...of, name: undefined, scopes: undefined, mode: undefined, expiresAt: undefined })).toMatch(/^fp_/)
  })

  it('belongs to the project with the given id', async () => {
    const mock = createFlowpostMock()
    const project = mock.seed.project({ user: 'alice' })
    const flow = mock.seed.flow({ project_id: project.id })
    expect(flow.project_id).toBe(project.id)
    for (const source_type of builtInSourceTypes) mock.seed.integration({ project_id: project.id, source_type })
    // The new key belongs to the project's owner, `alice`, so the client sees the project.
    const flowpost = mock.client({ apiKey: mock.seed.apiKey({ project_id: project.id }) })
    expect((await flowpost.projects.list()).data).toEqual([project])
    const { data } = await flowpost.integrations.list(project.id)
    expect(data.map(({ source_type }) => source_type).sort()).toEqual([...builtInSourceTypes].sort())
  })

  it('is rejected when the server would reject it', () => {
    const mock = createFlowpostMock()
    const project = mock.seed.project({ name: 'billing' })
    const rejected = [
      () => mock.seed.project({ name: 'billing' }),
      () => mock.seed.project({ name: '' }),
      () => mock.seed.flow({ target: 'nowhere' }),
      () => mock.seed.flow({ source_type: 'pigeon' }),
      () => mock.seed.flow({ project: { id: 'prj_0' } }),
      () => mock.seed.flow({ colour: 'red' } as never),
      () => mock.seed.integration({ project, settings: { host: 'not a host' } }),
      () => mock.seed.integration({ source_type: 'pigeon' }),
      () => mock.seed.integration({ project_id: 'prj_0' }),
      () => mock.seed.flow({ project, project_id: mock.seed.project().id }),
      () => mock.seed.apiKey({ project, user: 'alice' }),
      () => mock.seed.apiKey({ project_id: 'prj_0' }),
      () => mock.seed.apiKey({ scopes: [] }),
      () => mock.seed.apiKey({ name: '' }),
      () => mock.seed.flow({ message_template: '{{subject}}'.repeat(40) }),
      () => mock.seed.eventEndpoint({ project, secret: 'my secret' }),
      () => mock.seed.apiKey({ expiresAt: new Date('some day') }),
    ]
    for (const make of rejected) expect(make).toThrow(TypeError)
    expect(rejected[0]).toThrow('projects.create would be rejected: project_name_taken.')
    expect(rejected[1]).toThrow('projects.create would be rejected: validation_failed. The request has 1 validation error. /name: ')
    expect(rejected[2]).toThrow('flows.create would be rejected: /target:')
    expect(rejected[6]).toThrow('/settings/host')
    expect(rejected[9]).toThrow('refer to different projects')
    expect(rejected[10]).toThrow('apiKeys.create would be rejected: not_found.')
  })
})
