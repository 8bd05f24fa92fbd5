import { describe, expect, it } from 'vitest'
import { json, problem, reset } from './support/hostile-server.ts'
import { flow, project } from './support/resources.ts'
import { failureOf, start } from './support/setup.ts'

const projectResponse = (name: string, etag: string) => json(200, { ...project, name }, { etag })
const mismatch = problem(412, 'etag_mismatch')

describe('an update with a function', () => {
  it('sends only the fields of the request, with the entity tag of the read', async () => {
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

  it('reads again and reapplies the function after a concurrent change', async () => {
    await using at = await start()
    at.server.next(projectResponse('a', '"v1"'), mismatch, projectResponse('b', '"v2"'), projectResponse('b!', '"v3"'))
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
    for (let round = 0; round < 10; round++) at.server.next(projectResponse('a', '"v1"'), mismatch)
    const error = await failureOf(at.flowpost.projects.update(project.id, ({ name }) => ({ name })))
    expect(error).toMatchObject({ code: 'etag_mismatch', status: 412, operation: 'projects.update' })
    expect(error.attempts).toHaveLength(10)
    expect(at.server.requests).toHaveLength(10)
  })

  it('does not apply the function twice when only the response to the write was lost', async () => {
    await using at = await start()
    at.server.next(projectResponse('a', '"v1"'), reset, mismatch, projectResponse('a!', '"v2"'))
    const call = at.flowpost.projects.update(project.id, ({ name }) => ({ name: `${name}!` }))
    await at.clock.elapse(250)
    expect((await call).name).toBe('a!')
    expect(at.server.requests.map(({ method }) => method)).toEqual(['GET', 'PUT', 'PUT', 'GET'])
  })

  it('recognizes its own write when the server trimmed the name', async () => {
    await using at = await start()
    at.server.next(projectResponse('a', '"v1"'), reset, mismatch, projectResponse('a!', '"v2"'))
    const call = at.flowpost.projects.update(project.id, ({ name }) => ({ name: ` ${name}! ` }))
    await at.clock.elapse(250)
    expect((await call).name).toBe('a!')
    expect(at.server.requests).toHaveLength(4)
  })

  it('recognizes its own write when the server removed duplicates', async () => {
    await using at = await start()
    const endpoint = (description: string) => json(200, { description, events: ['delivery.failed', 'delivery.sent'] }, { etag: '"v1"' })
    at.server.next(endpoint('a'), reset, mismatch, endpoint('a!'))
    const call = at.flowpost.eventEndpoints.update(project.id, 'evp_1', (current) => ({
      ...current,
      description: `${current.description}!`,
      events: [...current.events, 'delivery.sent'],
    }))
    await at.clock.elapse(250)
    expect((await call).description).toBe('a!')
    expect(at.server.requests).toHaveLength(4)
  })

  it('does not mistake a template for its own write when they differ in white space', async () => {
    await using at = await start()
    const flowResponse = (message_template: string, etag: string) => json(200, { ...flow, message_template }, { etag })
    // The 503 wrote nothing. Between the attempts, another client changed the flow and restored it, so only the tag is new.
    at.server.next(flowResponse('a', '"v1"'), problem(503, 'unavailable'), mismatch, flowResponse('a', '"v3"'), flowResponse('a\n', '"v4"'))
    const call = at.flowpost.flows.update(project.id, flow.id, (current) => ({
      ...current,
      message_template: `${current.message_template}\n`,
    }))
    await at.clock.elapse(250)
    expect((await call).message_template).toBe('a\n')
    expect(at.server.requests.map(({ method }) => method)).toEqual(['GET', 'PUT', 'PUT', 'GET', 'PUT'])
  })

  it('recognizes its own write when the server trimmed the target', async () => {
    await using at = await start()
    const flowResponse = (target: string, etag: string) => json(200, { ...flow, target }, { etag })
    at.server.next(flowResponse('a@example.com', '"v1"'), reset, mismatch, flowResponse('b@example.com', '"v2"'))
    const call = at.flowpost.flows.update(project.id, flow.id, (current) => ({ ...current, target: ' b@example.com ' }))
    await at.clock.elapse(250)
    expect((await call).target).toBe('b@example.com')
    expect(at.server.requests).toHaveLength(4)
  })

  it('reapplies the function when the lost write failed because of a concurrent change', async () => {
    await using at = await start()
    at.server.next(projectResponse('a', '"v1"'), reset, mismatch, projectResponse('b', '"v2"'), projectResponse('b!', '"v3"'))
    const call = at.flowpost.projects.update(project.id, ({ name }) => ({ name: `${name}!` }))
    await at.clock.elapse(250)
    expect((await call).name).toBe('b!')
  })

  it('does not start over when the caller set the entity tag', async () => {
    await using at = await start()
    at.server.next(projectResponse('a', '"v2"'), mismatch)
    const error = await failureOf(at.flowpost.projects.update(project.id, ({ name }) => ({ name }), { ifMatch: '"v1"' }))
    expect(error.code).toBe('etag_mismatch')
    expect(at.server.requests.map(({ headers }) => headers['if-match'])).toEqual([undefined, '"v1"'])
  })

  it('writes with the strong entity tag when a proxy weakened it', async () => {
    await using at = await start()
    at.server.next(projectResponse('a', 'W/"v1"'), projectResponse('a!', 'W/"v2"'))
    await at.flowpost.projects.update(project.id, ({ name }) => ({ name: `${name}!` }))
    expect(at.server.requests.map(({ headers }) => headers['if-match'])).toEqual([undefined, '"v1"'])
  })

  it('does not write when a proxy stripped the entity tag', async () => {
    await using at = await start()
    at.server.next(json(200, project))
    const error = await failureOf(at.flowpost.projects.update(project.id, ({ name }) => ({ name })))
    expect(error).toMatchObject({ code: 'unexpected_response', status: 200 })
    expect(at.server.requests).toHaveLength(1)
  })

  it("rejects with the function's error and writes nothing", async () => {
    await using at = await start()
    at.server.next(projectResponse('a', '"v1"'))
    const reason = new RangeError('no')
    await expect(
      at.flowpost.projects.update(project.id, () => {
        throw reason
      }),
    ).rejects.toBe(reason)
    expect(at.server.requests).toHaveLength(1)
  })

  it('counts attempts per request, so that a first write does not look like a retry', async () => {
    const attempts: unknown[] = []
    await using at = await start({ hooks: { onResult: ({ method, attempt }) => attempts.push([method, attempt]) } })
    at.server.next(projectResponse('a', '"v1"'), problem(503, 'unavailable'), projectResponse('b', '"v2"'))
    const call = at.flowpost.projects.update(project.id, () => ({ name: 'b' }))
    await at.clock.elapse(250)
    await call
    expect(attempts).toEqual([
      ['GET', 1],
      ['PUT', 1],
      ['PUT', 2],
    ])
  })

  it('has one deadline for all requests', async () => {
    await using at = await start({ timeout: 1_000 })
    at.server.next(projectResponse('a', '"v1"'), projectResponse('a!', '"v2"'))
    const error = await failureOf(
      at.flowpost.projects.update(project.id, ({ name }) => {
        at.clock.advance(1_000)
        return { name }
      }),
    )
    expect(error).toMatchObject({ code: 'timeout', operation: 'projects.update' })
    expect(at.server.requests).toHaveLength(1)
  })

  it('reports a failed read as an error of the update', async () => {
    await using at = await start()
    at.server.next(problem(404, 'not_found'))
    expect(await failureOf(at.flowpost.projects.update(project.id, ({ name }) => ({ name })))).toMatchObject({
      code: 'not_found',
      operation: 'projects.update',
    })
  })
})

describe('an update with a body', () => {
  it('sends the body unchanged, without a read', async () => {
    await using at = await start()
    at.server.next(json(200, project))
    await at.flowpost.projects.update(project.id, { name: 'a' }, { ifMatch: '"v1"' })
    expect(at.server.requests).toMatchObject([{ method: 'PUT', body: '{"name":"a"}', headers: { 'if-match': '"v1"' } }])
  })

  it.each([
    ['W/"v1"', '"v1"'],
    ['"W/v1"', '"W/v1"'],
    ['*', '*'],
    // The server rejects the entity tag `null`. If the client omitted the header, the server would overwrite any version.
    [null, 'null'],
  ])('sends the entity tag %s as %s', async (ifMatch, header) => {
    await using at = await start()
    at.server.next(json(200, project))
    await at.flowpost.projects.update(project.id, { name: 'a' }, { ifMatch: ifMatch as string })
    expect(at.server.requests[0]?.headers['if-match']).toBe(header)
  })
})
