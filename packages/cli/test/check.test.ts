import { beforeEach, describe, expect, it } from 'vitest'
import { startCliServer } from './support/run-cli.ts'

const { mock, run } = await startCliServer()
const project = mock.seed.project({ name: 'billing' })
const flow = mock.seed.flow({ project, name: 'ops-mail', target: 'ops@example.com' })

interface FlowResult {
  readonly flow_id: string
  readonly ok: boolean
}

describe('flowpost check', () => {
  it('checks every flow and succeeds if all pass', async () => {
    const { code, stdout } = await run(['check'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^PROJECT +FLOW +TARGET +RESULT +DETAIL\nbilling +ops-mail +smtp:ops@example\.com +ok$/m)
  })

  it('exits with 1 if a check fails, and says why', async () => {
    const bad = mock.seed.flow({ project, name: 'bad', target: 'bad@example.com' })
    mock.faults.deliveriesTo('bad@example.com', { fail: 'bounce' })
    const { code, stdout } = await run(['check', '--project', 'billing'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/bad +smtp:bad@example\.com +failed +target \S+: .+\n1 of 2 flows failed\.\n$/)
    const { ok, flows } = (await run(['check', '--json'])).json()
    expect(ok).toBe(false)
    expect(flows.map(({ flow_id, ok }: FlowResult) => [flow_id, ok])).toEqual([
      [flow.id, true],
      [bad.id, false],
    ])
    await mock.client().flows.delete(project.id, bad.id)
  })
})

describe('flowpost check with a flow that cannot be checked', () => {
  let other: ReturnType<typeof mock.seed.flow>

  beforeEach(() => {
    other = mock.seed.flow({ project, name: 'other', target: 'other@example.com' })
    return () =>
      mock
        .client()
        .flows.delete(project.id, other.id)
        .catch(() => undefined)
  })

  /** Returns a `fetch` that sends the check of the flow `other` with `sendCheck`. */
  const checkingWith =
    (sendCheck: (send: () => Promise<Response>) => Promise<Response>): typeof fetch =>
    async (input, init) => {
      const send = () => fetch(input, init)
      return String(input).includes(`${other.id}/check`) ? sendCheck(send) : send()
    }

  // A response of a proxy.
  const failing = checkingWith(async () => new Response('<h1>Bad gateway</h1>', { headers: { 'content-type': 'text/html' } }))

  it('shows the other flows, and why this flow could not be checked', async () => {
    const { code, stdout } = await run(['check'], { fetch: failing })
    expect(code).toBe(1)
    expect(stdout).toMatch(/ops-mail +smtp:ops@example\.com +ok$/m)
    expect(stdout).toMatch(
      /other +smtp:other@example\.com +failed +flows\.check: the response \(200\) is not from Flowpost.*\n1 of 2 flows failed\.\n$/,
    )
  })

  it('has the code of the error in its JSON', async () => {
    const { code, json } = await run(['check', '--json'], { fetch: failing })
    expect(code).toBe(1)
    expect(json()).toMatchObject({
      ok: false,
      flows: [
        { flow: 'ops-mail', ok: true, error: null },
        { flow: 'other', ok: false, checks: [], error: { code: 'unexpected_response', message: expect.any(String) } },
      ],
    })
  })

  it('leaves out a flow that was deleted meanwhile', async () => {
    const deleted = checkingWith(async (send) => {
      await mock.client().flows.delete(project.id, other.id)
      return send()
    })
    const { code, stdout } = await run(['check'], { fetch: deleted })
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^PROJECT.+\nbilling +ops-mail .+ok\n$/)])
  })

  it('takes the result, and nothing else, from the response', async () => {
    const changed = checkingWith(async () => Response.json({ ok: true, checks: [], flow: {}, project: {}, error: {} }))
    const { code, json } = await run(['check', '--json'], { fetch: changed })
    expect([code, json().flows[1]]).toEqual([0, expect.objectContaining({ project: 'billing', flow: 'other', ok: true, error: null })])
  })

  it('fails if every flow was deleted meanwhile, because nothing was checked', async () => {
    const empty = mock.seed.project({ name: 'empty' })
    const last = mock.seed.flow({ project: empty, name: 'last' })
    const deleted: typeof fetch = async (input, init) => {
      if (String(input).includes(`${last.id}/check`)) await mock.client().flows.delete(empty.id, last.id)
      return fetch(input, init)
    }
    const { code, stdout, stderr } = await run(['check', '--project', 'empty'], { fetch: deleted })
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('The server no longer has any of the flows that it listed.')])
    await mock.client().projects.delete(empty.id)
  })

  it('leaves out a project that was deleted meanwhile, unless --project names it', async () => {
    const deleting =
      (id: string): typeof fetch =>
      async (input, init) => {
        if (String(input).includes(`${id}/flows`)) await mock.client().projects.delete(id)
        return fetch(input, init)
      }
    const gone = mock.seed.project({ name: 'gone' })
    const { code, stdout } = await run(['check'], { fetch: deleting(gone.id) })
    expect([code, stdout]).toEqual([0, expect.stringMatching(/ops-mail .+ok\nbilling +other .+ok\n$/)])
    const named = mock.seed.project({ name: 'named' })
    const result = await run(['check', '--project', 'named'], { fetch: deleting(named.id) })
    expect([result.code, result.stderr]).toEqual([1, expect.stringContaining('not_found (404)')])
  })

  it('stops if the key may check no flow', async () => {
    const apiKey = mock.seed.apiKey({ scopes: ['settings:read'] })
    const { code, stdout, stderr } = await run(['check'], { env: { FLOWPOST_API_KEY: apiKey } })
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('scope_missing (403)')])
  })
})
