import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findConfigIssues } from '../src/settings/validate-config.ts'
import { startCliServer } from './support/run-cli.ts'

const { mock, run, home } = await startCliServer()
const client = mock.client()

const billing = { url: 'https://billing.example.com/events', events: ['delivery.failed', 'flow.unhealthy'] }
const secretPattern = /whsec_[A-Za-z0-9+/]{43}=/

/** Writes a config file for a new project. Returns the project's key. */
let count = 0
const write = (endpoints: object | undefined, key = `endpoints-${++count}`): string => {
  const config = { project: { key, name: key }, flows: {}, ...(endpoints && { event_endpoints: endpoints }) }
  writeFileSync(join(home, 'flowpost.config.ts'), `export default ${JSON.stringify(config)}`)
  return key
}

const endpointsOf = async (key: string) => {
  for await (const project of client.projects.list()) if (project.key === key) return (await client.eventEndpoints.list(project.id)).data
  return []
}

describe('event endpoints in a config', () => {
  it('are created, and their signing secrets printed once', async () => {
    const key = write({ billing })
    expect(await run(['plan'])).toMatchObject({ code: 2, stdout: expect.stringContaining('+ event endpoint billing is created\n') })
    const applied = await run(['apply', '--yes'])
    expect(applied.stdout).toMatch(/Signing secret of the event endpoint billing, shown only once: whsec_/)
    expect(await endpointsOf(key)).toMatchObject([{ key: 'billing', ...billing, active: true, description: '' }])
    expect(await run(['plan'])).toMatchObject({ code: 0, stdout: 'Nothing would change.\n' })
  })

  it('have their secrets in the JSON output, or in a file that only the user can read', async () => {
    write({ billing })
    const [created] = (await run(['apply', '--yes', '--json'])).json().changes.slice(-1)
    expect(created).toMatchObject({ kind: 'event_endpoint', secret: expect.stringMatching(secretPattern) })
    write({ billing, audit: { events: ['delivery.sent'] } })
    const { code, stdout, json } = await run(['apply', '--yes', '--json', '--secrets-file', 'secrets.json'])
    expect([code, stdout]).toEqual([0, expect.not.stringMatching(secretPattern)])
    expect(json().changes).toHaveLength(3)
    const path = join(home, 'secrets.json')
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      billing: expect.stringMatching(secretPattern),
      audit: expect.stringMatching(secretPattern),
    })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const key = write({ billing })
    expect(await run(['apply', '--yes', '--secrets-file', 'secrets.json'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('secrets.json exists.'),
    })
    expect(await endpointsOf(key)).toEqual([])
  })

  it('print their secrets if the file cannot be written', async () => {
    const key = write({ billing })
    const { code, stdout, stderr } = await run(['apply', '--yes', '--secrets-file', 'no-folder/secrets.json'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(secretPattern)])
    expect(stderr).toContain('secrets.json cannot be written')
    expect(await endpointsOf(key)).toHaveLength(1)
  })

  it('are pulled without secrets, to a file that matches the server', async () => {
    const key = write({ billing, audit: { url: null, events: ['delivery.sent'], active: false, description: 'Audit' } })
    await run(['apply', '--yes'])
    expect(await run(['pull', 'pulled.ts', '-p', key])).toMatchObject({ code: 0 })
    const source = readFileSync(join(home, 'pulled.ts'), 'utf8')
    expect(source).not.toContain('whsec_')
    expect(source).toContain(
      "    audit: {\n      events: [\n        'delivery.sent',\n      ],\n      active: false,\n      description: 'Audit',\n    },",
    )
    expect(await run(['drift', 'pulled.ts'])).toMatchObject({ code: 0 })
    expect(await run(['drift'])).toMatchObject({ code: 0 })
  })

  it('stay if the file does not contain them, unless --prune is given', async () => {
    const key = write({ billing })
    await run(['apply', '--yes'])
    write({}, key)
    expect(await run(['plan'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The event endpoint `billing` is not in the document.'),
    })
    expect(await run(['apply', '--yes', '--prune'])).toMatchObject({
      stdout: expect.stringContaining('- event endpoint billing is deleted\n'),
    })
    expect(await endpointsOf(key)).toEqual([])
  })

  it('are reported with their place in the file when the server rejects them', async () => {
    write({ billing: { ...billing, events: ['delivery.exploded'] } })
    expect(await run(['plan'])).toMatchObject({ code: 1, stderr: expect.stringContaining('body /event_endpoints/billing/events/0: ') })
  })
})

describe('flowpost validate', () => {
  it.each([
    ['/event_endpoints', [], 'must be a plain object.'],
    ['/event_endpoints/Billing', { Billing: billing }, 'is not a valid key.'],
    ['/event_endpoints/a', { a: 7 }, 'must be a plain object.'],
    ['/event_endpoints/a/secret', { a: { ...billing, secret: 'x' } }, 'is not a valid field.'],
    ['/event_endpoints/a/url', { a: { ...billing, url: 'ftp://example.com' } }, 'must be an HTTP or HTTPS URL'],
    ['/event_endpoints/a/url', { a: { ...billing, url: 'https://u:p@example.com' } }, 'must be an HTTP or HTTPS URL'],
    ['/event_endpoints/a/url', { a: { ...billing, url: 'no url' } }, 'must be an HTTP or HTTPS URL'],
    ['/event_endpoints/a/events', { a: { url: null } }, 'must be a list of event types'],
    ['/event_endpoints/a/events', { a: { events: [] } }, 'must be a list of event types'],
    ['/event_endpoints/a/events', { a: { events: ['*'] } }, 'There is no wildcard.'],
    ['/event_endpoints/a/active', { a: { ...billing, active: 1 } }, 'must be true or false.'],
    ['/event_endpoints/a/description', { a: { ...billing, description: 'a\nb' } }, 'must not contain control characters.'],
  ])('reports %s', (pointer, event_endpoints, message) => {
    const issues = findConfigIssues({ project: { key: 'a', name: 'A' }, flows: {}, event_endpoints })
    expect(issues).toEqual([{ pointer, message: expect.stringContaining(message) }])
  })

  it('accepts 20 event endpoints, but no more', () => {
    const config = (size: number) => ({
      project: { key: 'a', name: 'A' },
      flows: {},
      event_endpoints: Object.fromEntries(Array.from({ length: size }, (_, index) => [`e${index}`, billing])),
    })
    expect(findConfigIssues(config(20))).toEqual([])
    expect(findConfigIssues(config(21))).toEqual([{ pointer: '/event_endpoints', message: expect.stringContaining('20 are permitted') }])
  })
})
