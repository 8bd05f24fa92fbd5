import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startCliServer } from './support/run-cli.ts'

const { mock, run, home } = await startCliServer()

/** Returns a `fetch` that loses the responses of the requests that `matches` selects, after the server has executed them. */
const losing =
  (matches: (url: string, body: string) => boolean, lost: () => Response | Promise<never>): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    return matches(String(input), String(init?.body)) ? lost() : response
  }

/** A response of a proxy. The client does not send the request again. */
const fromProxy = () => new Response('<h1>Bad gateway</h1>', { headers: { 'content-type': 'text/html' } })

/** Presses Ctrl-C after the server has executed a request that `matches` selects. */
const interruptedAt = (matches: (url: string, body: string) => boolean) => {
  const controller = new AbortController()
  const lost = () => {
    controller.abort()
    return new Promise<never>(() => {})
  }
  return { signal: controller.signal, fetch: losing(matches, lost) }
}

describe('an apply', () => {
  const isApply = (url: string, body: string) => url.endsWith('/v1/settings/apply') && !body.includes('"dry_run":true')
  const receiver = { receiver: { events: ['delivery.failed'] } }

  /** Writes the config file of a new project. Returns the file's name. */
  let count = 0
  const write = (endpoints: object, integrations: object = {}): string => {
    const key = `unknown-${++count}`
    const config = { project: { key, name: key }, flows: {}, integrations, event_endpoints: endpoints }
    writeFileSync(join(home, `${key}.config.ts`), `export default ${JSON.stringify(config)}`)
    return `${key}.config.ts`
  }

  const warning = 'The changes may have been applied. Run `flowpost plan` to find out.'

  it.each([
    ['Ctrl-C', 130, () => interruptedAt(isApply)],
    ['a failure', 1, () => ({ fetch: losing(isApply, fromProxy) })],
  ])('whose response is lost by %s says that the changes may have been applied, and their secrets lost', async (_, code, lose) => {
    const file = write(receiver)
    const result = await run(['apply', file, '--yes'], lose())
    expect(result.code).toBe(code)
    expect(result.stderr.split(warning)).toHaveLength(2)
    expect(result.stderr).toContain('the signing secrets of the created event endpoints are lost: rotate them.')
    expect(await run(['apply', file, '--yes'])).toMatchObject({ code: 0, stdout: 'Nothing to change.\n' })
  })

  it('that creates no event endpoint does not mention secrets', async () => {
    const { stderr } = await run(['apply', write({}), '--yes'], { fetch: losing(isApply, fromProxy) })
    expect(stderr).toContain(`${warning}\n`)
  })

  it('that only sets secrets again must be repeated, because `flowpost plan` cannot compare secrets', async () => {
    const file = write({}, { slack: { secrets: { token: { env: 'TOKEN' } } } })
    const env = { TOKEN: 'xoxb-1' }
    expect(await run(['apply', file, '--yes'], { env })).toMatchObject({ code: 0 })
    const { stderr } = await run(['apply', file, '--yes'], { env, fetch: losing(isApply, fromProxy) })
    expect(stderr).toContain('The secrets may have been set. `flowpost plan` cannot compare secrets: run `flowpost apply` again.\n')
    expect(stderr).not.toContain(warning)
  })

  it('that the server rejects does not say that the changes may have been applied', async () => {
    const rejected: typeof fetch = async (input, init) => {
      if (isApply(String(input), String(init?.body))) mock.faults.next('settings.apply', { status: 412 })
      return fetch(input, init)
    }
    const { code, stderr } = await run(['apply', write(receiver), '--yes'], { fetch: rejected })
    expect([code, stderr]).toEqual([1, expect.not.stringContaining('may have been')])
  })

  it('writes its secrets file before Ctrl-C ends it', async () => {
    const controller = new AbortController()
    const onOutput = (text: string) => {
      if (text.includes('Applied.')) controller.abort()
    }
    const { code } = await run(['apply', write(receiver), '--yes', '--secrets-file', 's.json'], { onOutput, signal: controller.signal })
    expect(code).toBe(130)
    expect(JSON.parse(readFileSync(join(home, 's.json'), 'utf8'))).toEqual({ receiver: expect.stringMatching(/^whsec_/) })
  })
})

describe('a created key', () => {
  const isCreate = (url: string, body: string) => url.endsWith('/v1/settings/api-keys') && body.includes('"name"')
  const warning = 'If the key was created, it is lost: the server returns it only once. Run `flowpost keys`, and revoke the key.'

  it.each([
    ['Ctrl-C', 130, () => interruptedAt(isCreate)],
    ['a failure', 1, () => ({ fetch: losing(isCreate, fromProxy) })],
  ])('whose response is lost by %s must be revoked', async (name, code, lose) => {
    const result = await run(['keys', 'create', name], lose())
    expect(result.code).toBe(code)
    expect(result.stderr.split(warning)).toHaveLength(2)
    expect((await run(['keys'])).stdout).toContain(name)
  })

  it('that the server rejects needs no action', async () => {
    const { code, stderr } = await run(['keys', 'create', 'x'.repeat(300)])
    expect([code, stderr]).toEqual([1, expect.not.stringContaining('If the key was created')])
  })
})
