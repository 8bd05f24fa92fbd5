import { describe, expect, it } from 'vitest'
import { json, problem, reset } from './hostile-server.ts'
import { flow, project } from './resources.ts'
import { failureOf, start } from './setup.ts'

const stored = (name: string, etag: string) => json(200, { ...project, name }, { etag })
const mismatch = problem(412, 'etag_mismatch')

describe('an update by a function', () => {
  it('sends only the fields of the request, with the entity tag that was read', async () => {
    await using at = await start()
    at.server.next(json(200, flow, { etag: '"v1"' }), json(200, { ...flow, active: false }))
    const updated = await at.flowpost.flows.update(project.id, flow.id, (current) => ({ ...current, active: false }))
    expect(updated.active).toBe(false)
    const write = at.server.requests[1]
    expect(write).toMatchObject({ method: 'PUT', headers: { 'if-match': '"v1"' } })
    const { name, source_type, target, override_target, message_template, message_template_type } = flow
    expect(JSON.parse(write?.body ?? '')).toEqual({
      name,
      active: false,
      source_type,
      target,
      override_target,
      message_template,
      message_template_type,
    })
  })

  it('reads again and starts anew when somebody else was faster', async () => {
    await using at = await start()
    at.server.next(stored('a', '"v1"'), mismatch, stored('b', '"v2"'), stored('b!', '"v3"'))
    await at.flowpost.projects.update(project.id, async ({ name }) => ({ name: `${name}!` }))
    expect(at.server.requests.map(({ method, headers, body }) => [method, headers['if-match'], body])).toEqual([
      ['GET', undefined, ''],
      ['PUT', '"v1"', '{"name":"a!"}'],
      ['GET', undefined, ''],
      ['PUT', '"v2"', '{"name":"b!"}'],
    ])
  })

  it('gives up after five rounds', async () => {
    await using at = await start()
    for (let round = 0; round < 10; round++) at.server.next(stored('a', '"v1"'), mismatch)
    const error = await failureOf(at.flowpost.projects.update(project.id, ({ name }) => ({ name })))
    expect(error).toMatchObject({ code: 'etag_mismatch', status: 412, operation: 'projects.update' })
    expect(error.attempts).toHaveLength(10)
    expect(at.server.requests).toHaveLength(10)
  })

  it('does not change twice when only the answer of the first write was lost', async () => {
    await using at = await start()
    at.server.next(stored('a', '"v1"'), reset, mismatch, stored('a!', '"v2"'))
    const call = at.flowpost.projects.update(project.id, ({ name }) => ({ name: `${name}!` }))
    await at.clock.elapse(250)
    expect((await call).name).toBe('a!')
    expect(at.server.requests.map(({ method }) => method)).toEqual(['GET', 'PUT', 'PUT', 'GET'])
  })

  it('knows its own write again when the server trimmed it', async () => {
    await using at = await start()
    at.server.next(stored('a', '"v1"'), reset, mismatch, stored('a!', '"v2"'))
    const call = at.flowpost.projects.update(project.id, ({ name }) => ({ name: ` ${name}! ` }))
    await at.clock.elapse(250)
    expect((await call).name).toBe('a!')
    expect(at.server.requests).toHaveLength(4)
  })

  it('changes anew when the lost write was not made and somebody else was faster', async () => {
    await using at = await start()
    at.server.next(stored('a', '"v1"'), reset, mismatch, stored('b', '"v2"'), stored('b!', '"v3"'))
    const call = at.flowpost.projects.update(project.id, ({ name }) => ({ name: `${name}!` }))
    await at.clock.elapse(250)
    expect((await call).name).toBe('b!')
  })

  it('does not start anew when the caller fixed the entity tag', async () => {
    await using at = await start()
    at.server.next(stored('a', '"v2"'), mismatch)
    const error = await failureOf(at.flowpost.projects.update(project.id, ({ name }) => ({ name }), { ifMatch: '"v1"' }))
    expect(error.code).toBe('etag_mismatch')
    expect(at.server.requests.map(({ headers }) => headers['if-match'])).toEqual([undefined, '"v1"'])
  })

  it('refuses to write blindly when a proxy stripped the entity tag', async () => {
    await using at = await start()
    at.server.next(json(200, project))
    const error = await failureOf(at.flowpost.projects.update(project.id, ({ name }) => ({ name })))
    expect(error).toMatchObject({ code: 'unexpected_response', status: 200 })
    expect(at.server.requests).toHaveLength(1)
  })

  it('rejects with what the function throws, and writes nothing', async () => {
    await using at = await start()
    at.server.next(stored('a', '"v1"'))
    const reason = new RangeError('no')
    await expect(
      at.flowpost.projects.update(project.id, () => {
        throw reason
      }),
    ).rejects.toBe(reason)
    expect(at.server.requests).toHaveLength(1)
  })

  it('tells hooks of the attempts of each request by themselves, so that a first write does not look like a retry', async () => {
    const told: unknown[] = []
    await using at = await start({ hooks: { onResult: ({ method, attempt }) => told.push([method, attempt]) } })
    at.server.next(stored('a', '"v1"'), problem(503, 'unavailable'), stored('b', '"v2"'))
    const call = at.flowpost.projects.update(project.id, () => ({ name: 'b' }))
    await at.clock.elapse(250)
    await call
    expect(told).toEqual([
      ['GET', 1],
      ['PUT', 1],
      ['PUT', 2],
    ])
  })

  it('has one deadline for everything', async () => {
    await using at = await start({ timeout: 1_000 })
    at.server.next(stored('a', '"v1"'), stored('a!', '"v2"'))
    const error = await failureOf(
      at.flowpost.projects.update(project.id, ({ name }) => {
        at.clock.advance(1_000)
        return { name }
      }),
    )
    expect(error).toMatchObject({ code: 'timeout', operation: 'projects.update' })
    expect(at.server.requests).toHaveLength(1)
  })

  it('fails as an update when the read fails', async () => {
    await using at = await start()
    at.server.next(problem(404, 'not_found'))
    expect(await failureOf(at.flowpost.projects.update(project.id, ({ name }) => ({ name })))).toMatchObject({
      code: 'not_found',
      operation: 'projects.update',
    })
  })
})

describe('an update by a body', () => {
  it('sends it as it is, without a read', async () => {
    await using at = await start()
    at.server.next(json(200, project))
    await at.flowpost.projects.update(project.id, { name: 'a' }, { ifMatch: '"v1"' })
    expect(at.server.requests).toMatchObject([{ method: 'PUT', body: '{"name":"a"}', headers: { 'if-match': '"v1"' } }])
  })
})
