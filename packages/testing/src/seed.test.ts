import { builtInSourceTypes } from '@flowpost/contract'
import { describe, expect, it } from 'vitest'
import { createFlowpostMock } from './mock.ts'

describe('a seeded resource', () => {
  it('is the one that a request would have made', async () => {
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

  it('is a key with what it was given', async () => {
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

  it('is a credential of a project', async () => {
    const mock = createFlowpostMock()
    const project = mock.seed.project()
    const made = mock.seed.integration({
      project,
      source_type: 'smtp',
      settings: { host: 'mail.example.com', from: 'a@example.com' },
      secrets: { password: 'a' },
    })
    expect(await mock.client().integrations.get(project.id, 'smtp')).toEqual(made)
  })

  it('is a credential of any built-in provider without further fields', async () => {
    const mock = createFlowpostMock()
    const project = mock.seed.project()
    for (const source_type of builtInSourceTypes) {
      const made = mock.seed.integration({ project, source_type })
      expect(await mock.client().integrations.get(project.id, source_type)).toEqual(made)
    }
    expect(mock.seed.integration().source_type).toBe('smtp')
  })

  it('is a credential with what it was given, and a value that works for the rest', () => {
    const { settings, secrets } = createFlowpostMock().seed.integration({ settings: { port: 2525 }, secrets: { password: 'a' } })
    expect(settings).toMatchObject({ host: 'mail.example.com', port: 2525 })
    expect(secrets).toMatchObject({ password: { set: true } })
  })

  it('is refused where the server would refuse it', () => {
    const mock = createFlowpostMock()
    const project = mock.seed.project({ name: 'billing' })
    const refused = [
      () => mock.seed.project({ name: 'billing' }),
      () => mock.seed.project({ name: '' }),
      () => mock.seed.flow({ target: 'nowhere' }),
      () => mock.seed.flow({ source_type: 'pigeon' }),
      () => mock.seed.flow({ project: { id: 'prj_0' } }),
      () => mock.seed.flow({ colour: 'red' } as never),
      () => mock.seed.integration({ project, settings: { host: 'not a host' } }),
      () => mock.seed.integration({ source_type: 'pigeon' }),
    ]
    for (const make of refused) expect(make).toThrow(TypeError)
    expect(refused[0]).toThrow('projects.create would be refused: project_name_taken.')
    expect(refused[2]).toThrow('flows.create would be refused: /target:')
    expect(refused[6]).toThrow('/settings/host')
  })
})
