import { describe, expect, it } from 'vitest'
import { createFlowpostMock, type FlowpostMock, type MockOptions } from '../../src/index.ts'
import { startMockServer } from '../../src/server.ts'
import { conformance, conformanceProcess } from './run-cli.ts'

/** Starts a mock on a port. `change` may change its responses. */
const serve = async (options: MockOptions, change: (response: Response) => Response = (response) => response) => {
  const mock = createFlowpostMock(options)
  const fetch: FlowpostMock['fetch'] = async (input, init) => {
    // As on a real server, time passes between two requests.
    await mock.clock.advance(1)
    return change(await mock.fetch(input, init))
  }
  const server = await startMockServer({ ...mock, fetch })
  const compare = (...args: string[]) => conformance(['--model', '--base-url', server.url, '--api-key', mock.apiKey, ...args])
  return { mock, compare, server, [Symbol.asyncDispose]: server.close }
}

const resourcesOf = async (mock: FlowpostMock) => ({
  projects: (await mock.client().projects.list()).data.length,
  keys: (await mock.client().apiKeys.list()).data.length,
})

const deployments: [string, MockOptions][] = [
  ['has credentials', {}],
  ['has no credentials', { credentials: [] }],
  ['has credentials for some providers and captures the other messages', { credentials: ['smtp'], capture: 'missing' }],
  ['captures all messages', { capture: 'on' }],
]

describe('flowpost-conformance --model', () => {
  it.each(deployments)('finds no differences and sends nothing to a deployment that %s', async (_what, options) => {
    await using deployment = await serve(options)
    const { code, out } = await deployment.compare('--runs', '4', '--seed', '1')
    expect(out).toBe('4 sequences compared, no differences (seed 1)\n')
    expect(code).toBe(0)
    // In these sequences, a deployment that has neither credentials nor `capture` accepts only notifications from test keys.
    const accepted = (await deployment.mock.client().notifications.list({ limit: 1_000 })).data.filter(({ test }) => !test)
    expect(accepted.length > 0).toBe(options.credentials?.length !== 0 || options.capture !== undefined)
    expect(deployment.mock.outbox).toEqual([])
    expect(await resourcesOf(deployment.mock)).toEqual({ projects: 0, keys: 1 })
  })

  it('with --deliver, delivers only to the receiver, even messages whose events are read', async () => {
    await using deployment = await serve({})
    const { out } = await deployment.compare('--runs', '4', '--seed', '1', '--deliver', '--receiver', 'slack:C0000000AA')
    expect(out).toBe('4 sequences compared, no differences (seed 1)\n')
    expect(new Set(deployment.mock.outbox.map(({ target }) => target))).toEqual(new Set(['C0000000AA']))
  })

  it('names a difference, and prints the shortest sequence and the command to repeat it', async () => {
    const withoutReplay = (response: Response) => {
      response.headers.delete('idempotency-replayed')
      return response
    }
    await using deployment = await serve({}, withoutReplay)
    const { code, out } = await deployment.compare('--seed', '5', '--steps', '10')
    expect(code).toBe(1)
    expect(out).toMatch(/^DIFFERENT {2}after \d+ sequences?, seed 5\nmock \(-\) and server \(\+\) differ at step \d+ of \d+, /)
    expect(out).toMatch(/^- +"idempotency-replayed": "true"/m)
    const steps = JSON.parse(/^\[.*\]$/m.exec(out)?.[0] ?? '') as { idempotencyKey?: number }[]
    expect(steps.length).toBeLessThan(6)
    expect(steps.at(-1)).toEqual(expect.objectContaining({ idempotencyKey: expect.any(Number) }))
    expect(await resourcesOf(deployment.mock)).toEqual({ projects: 0, keys: 1 })

    // The printed command repeats the sequence.
    const [, command = ''] = /^To repeat the failed sequence: npx flowpost-conformance --model (.*)$/m.exec(out) ?? []
    expect(command).toContain(`--base-url ${deployment.server.url} --seed 5 --path `)
    const repeated = await deployment.compare(...command.replace(/--base-url \S+ /, '').split(' '))
    expect(repeated).toMatchObject({ code: 1, out: expect.stringContaining(JSON.stringify(steps)) })
  })

  it('names a response that violates the contract, and deletes the resource that the request created', async () => {
    const renameField = (response: Response) => {
      if (response.status !== 201 || !response.headers.get('location')?.startsWith('/v1/settings/api-keys/')) return response
      const read = response.text.bind(response)
      const body = new ReadableStream({
        start: async (controller) => {
          controller.enqueue(new TextEncoder().encode((await read()).replace('"last_used_at"', '"used_at"')))
          controller.close()
        },
      })
      return new Response(body, response)
    }
    await using deployment = await serve({}, renameField)
    const { code, out } = await deployment.compare('--seed', '8')
    expect(out).toMatch(/^server violates the contract at step \d+ of \d+, apiKeys.create:$/m)
    expect(out).toContain('last_used_at')
    expect(code).toBe(1)
    expect(await resourcesOf(deployment.mock)).toEqual({ projects: 0, keys: 1 })
  })

  it('rejects a user with projects', async () => {
    await using deployment = await serve({})
    deployment.mock.seed.project()
    const { code, out } = await deployment.compare()
    expect(out).toBe(
      "The API key's user has projects. Use the key of a user without projects, because the comparison lists all projects.\n",
    )
    expect(code).toBe(2)
    expect(await resourcesOf(deployment.mock)).toEqual({ projects: 1, keys: 1 })
  })

  it.each([
    [{ scopes: ['settings:read'] as const }, 'The API key must have all scopes and must not be bound to a project. projects.create: '],
    [{ expiresAt: new Date(0) }, 'The server rejects the API key. '],
  ])('rejects a key with %j', async (fields, message) => {
    await using deployment = await serve({})
    const { code, out } = await conformance([
      '--model',
      '--base-url',
      deployment.server.url,
      '--api-key',
      deployment.mock.seed.apiKey({ user: 'bob', ...fields }),
    ])
    expect(out.startsWith(message)).toBe(true)
    expect(code).toBe(2)
  })

  it('reports a missing fast-check', async () => {
    const hook = `import { registerHooks } from 'node:module'
      registerHooks({ resolve: (name, context, next) => next(name, name === 'fast-check' ? { ...context, parentURL: 'file:///' } : context) })`
    const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`]
    const { code, out } = await conformanceProcess(['--model', '--base-url', 'http://127.0.0.1:9', '--api-key', 'fp_a'], nodeArgs)
    expect(out).toContain('--model requires fast-check. Install it: npm install --save-dev fast-check')
    expect(code).toBe(2)
  })
})
