// cspell:ignore biling NEWTARGET
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FlowpostLock } from '@flowpost/client'
import { createFlowpostMock } from '@flowpost/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { startCliServer } from './support/run-cli.ts'

const { mock, run, home } = await startCliServer()

const seed = () => {
  const shop = mock.seed.project({ name: 'Shop', key: 'shop' })
  mock.seed.flow({ project: shop, key: '2nd', name: 'Second', target: 'second@example.com' })
  const billing = mock.seed.project({ name: 'Billing', key: 'billing' })
  const template = '<h1>{{subject}}</h1>\n{{message}}\u202e'
  mock.seed.flow({ project: billing, key: 'ops-mail', name: 'Operations', message_template: template, message_template_type: 'text/html' })
  mock.seed.flow({ project: billing, key: 'alerts', name: 'Alerts', source_type: 'slack', target: 'C024BE91L', override_target: true })
  mock.seed.integration({ project: billing, source_type: 'slack', secrets: { token: 'xoxb-secret' } })
  mock.seed.integration({ project: billing, source_type: 'mailgun', settings: { domain: 'mg.example.com', region: 'eu' } })
  return { shop, billing }
}

let seeded: ReturnType<typeof seed>
const flowpost = mock.client()
const pathOf = (name: string) => join(home, name)
const readText = (name: string) => readFileSync(pathOf(name), 'utf8')
const lockOf = (name = 'flowpost.lock.json') => JSON.parse(readText(name)) as FlowpostLock

beforeEach(() => {
  mock.reset()
  for (const name of ['flowpost.lock.json', 'flowpost.d.ts']) rmSync(pathOf(name), { force: true })
  seeded = seed()
})

describe('flowpost types', () => {
  it('writes a lock file in a fixed order, without ids, targets and secrets', async () => {
    expect(await run(['types'])).toMatchObject({
      code: 0,
      stdout: `Wrote ${pathOf('flowpost.lock.json')} and flowpost.d.ts for billing, shop.\n`,
    })
    const { digest } = await flowpost.settings.export(seeded.billing.id)
    const shop = await flowpost.settings.export(seeded.shop.id)
    expect(readText('flowpost.lock.json')).toBe(`{
  "lockfile_version": 1,
  "projects": {
    "billing": {
      "name": "Billing",
      "digest": "${digest}",
      "flows": {
        "alerts": {
          "name": "Alerts",
          "active": true,
          "source_type": "slack",
          "override_target": true,
          "message_template": "{{message}}",
          "message_template_type": "text/plain"
        },
        "ops-mail": {
          "name": "Operations",
          "active": true,
          "source_type": "smtp",
          "override_target": false,
          "message_template": [
            "<h1>{{subject}}</h1>",
            "{{message}}\\u202e"
          ],
          "message_template_type": "text/html"
        }
      },
      "integrations": {
        "mailgun": {
          "settings": {
            "domain": "mg.example.com",
            "from": "Flowpost <no-reply@example.com>",
            "region": "eu"
          }
        },
        "slack": {
          "settings": {}
        }
      }
    },
    "shop": {
      "name": "Shop",
      "digest": "${shop.digest}",
      "flows": {
        "2nd": {
          "name": "Second",
          "active": true,
          "source_type": "smtp",
          "override_target": false,
          "message_template": "{{message}}",
          "message_template_type": "text/plain"
        }
      },
      "integrations": {}
    }
  }
}
`)
  })

  it('declares the projects and flows', async () => {
    await run(['types'])
    expect(readText('flowpost.d.ts')).toBe(`// Written by \`flowpost types\`. Do not edit.
import '@flowpost/client'

declare module '@flowpost/client' {
  interface KnownProjects {
    billing: {
      alerts: { override_target: true }
      'ops-mail': { override_target: false }
    }
    shop: {
      '2nd': { override_target: false }
    }
  }
}
`)
  })

  it('writes a lock file from which the mock sends the same messages', async () => {
    await run(['types', '--with-targets'])
    const copy = createFlowpostMock({ lock: lockOf() })
    const send = { project: 'billing', subject: 'Invoice 42', message: 'Ready' }
    for (const server of [mock, copy]) await server.client().notifications.send(send)
    const contents = ({ outbox }: typeof mock) =>
      outbox.map(({ source_type, target, subject, text, html }) => ({ source_type, target, subject, text, html }))
    expect(contents(copy)).toEqual(contents(mock).reverse())
    expect(contents(copy)).toHaveLength(2)
  })

  it('writes only the given projects, and the same projects in later runs by default', async () => {
    await run(['types', '--project', 'shop'])
    expect(Object.keys(lockOf().projects)).toEqual(['shop'])
    mock.seed.project({ name: 'other', key: 'other' })
    await run(['types'])
    expect(Object.keys(lockOf().projects)).toEqual(['shop'])
    await run(['types', '-p', 'other', 'shop'])
    expect(Object.keys(lockOf().projects)).toEqual(['other', 'shop'])
  })

  it('keeps or omits targets as before, unless an option changes that', async () => {
    const target = () => lockOf().projects['shop']?.flows['2nd']?.target
    const targets: (string | undefined)[] = []
    for (const args of [[], ['--with-targets'], [], ['--without-targets'], []]) {
      await run(['types', ...args])
      targets.push(target())
    }
    expect(targets).toEqual([undefined, 'second@example.com', 'second@example.com', undefined, undefined])
    expect(await run(['types', '--with-targets', '--without-targets'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be combined'),
    })
  })

  it('writes into another folder', async () => {
    expect(await run(['types', '--out', 'src/generated'])).toMatchObject({ code: 0 })
    expect(Object.keys(lockOf('src/generated/flowpost.lock.json').projects)).toEqual(['billing', 'shop'])
    expect(await run(['types', '--out', 'src/generated', '--check'])).toMatchObject({ code: 0 })
  })

  it('warns about flows without a key', async () => {
    mock.seed.flow({ project: seeded.shop })
    const { stderr } = await run(['types'])
    expect(stderr).toMatch(/Warning: shop {2}1 flow has no key/)
  })

  it.each([
    ['a project that does not exist', ['--project', 'biling'], undefined, 'No project has the key biling.'],
    ['a newer lock file', [], '{"lockfile_version":2}', 'has version 2, but this program supports only version 1.\nUpdate @flowpost/cli.'],
    ['a lock file with merge conflicts', [], '<<<<<<< HEAD', 'is not JSON'],
    ['another JSON file', [], '{"lockfile_version":1,"projects":[]}', 'is not a lock file.\nDelete it and run `flowpost types`.'],
    [
      'a lock file with a project that no longer exists',
      [],
      '{"lockfile_version":1,"projects":{"old":{"flows":{}}}}',
      'No project has the key old.',
    ],
  ])('rejects %s', async (_, args, lock, message) => {
    if (lock !== undefined) writeFileSync(pathOf('flowpost.lock.json'), lock)
    expect(await run(['types', ...args])).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
  })

  it('rejects a server on which no project has a key', async () => {
    mock.reset()
    expect(await run(['types'])).toMatchObject({ code: 1, stderr: expect.stringContaining('No project has a key.') })
  })
})

describe('flowpost types --check', () => {
  const check = (...args: string[]) => run(['types', '--check', ...args])

  it('exits with 0 if the files are up to date, even after a formatter has changed them', async () => {
    await run(['types'])
    expect(await check()).toMatchObject({ code: 0, stdout: 'The files are up to date.\n' })
    writeFileSync(pathOf('flowpost.lock.json'), JSON.stringify(lockOf()))
    writeFileSync(
      pathOf('flowpost.d.ts'),
      readText('flowpost.d.ts').replaceAll('\n', '\r\n').replaceAll("'", '"').replaceAll(' }\r', '; };\r'),
    )
    expect(await check()).toMatchObject({ code: 0 })
    expect((await check('--json')).json()).toMatchObject({ current: true, differences: [], projects: ['billing', 'shop'] })
  })

  it('names what has changed, exits with 2, and writes nothing', async () => {
    await run(['types'])
    const before = readText('flowpost.lock.json')
    for await (const flow of flowpost.flows.list(seeded.billing.id))
      if (flow.key === 'ops-mail') await flowpost.flows.delete(seeded.billing.id, flow.id)
      else await flowpost.flows.patch(seeded.billing.id, flow.id, { active: false, target: 'C0NEWTARGET' })
    mock.seed.flow({ project: seeded.shop, key: 'new' })
    const { code, stdout } = await check()
    expect(stdout).toBe(`changed  billing: the digest of all settings, including targets
changed  billing: flows alerts active
removed  billing: flows ops-mail
changed  shop: the digest of all settings, including targets
added  shop: flows new
flowpost.d.ts is out of date.
`)
    expect(code).toBe(2)
    expect(readText('flowpost.lock.json')).toBe(before)
    expect((await check('--json')).json()).toMatchObject({ current: false, declarations_current: false })
  })

  it.each([
    ['the lock file is missing', () => rmSync(pathOf('flowpost.lock.json')), 'added  billing'],
    ['the declarations are missing', () => rmSync(pathOf('flowpost.d.ts')), 'flowpost.d.ts is out of date.'],
    [
      'the declarations were edited',
      () => writeFileSync(pathOf('flowpost.d.ts'), readText('flowpost.d.ts').replace('alerts', 'alert')),
      'flowpost.d.ts is out of date.',
    ],
    ['a project is gone', () => flowpost.projects.delete(seeded.shop.id), 'removed  shop'],
  ])('exits with 2 if %s', async (_, change, line) => {
    await run(['types'])
    await change()
    expect(await check()).toMatchObject({ code: 2, stdout: expect.stringContaining(line) })
  })
})

describe('flowpost apply', () => {
  const config = (name: string, key: string) => ({ project: { key, name }, flows: {} })
  const apply = async (name: string, key = 'billing') => {
    writeFileSync(pathOf('flowpost.config.ts'), `export default ${JSON.stringify(config(name, key))}`)
    return (await run(['apply', '--yes'])).stderr
  }
  const hint = 'flowpost.lock.json does not match the server. Run `flowpost types` and commit the files.'

  it('says that an existing lock file is outdated, and does not change the file', async () => {
    expect(await apply('A')).not.toContain('flowpost types')
    await run(['types'])
    const before = readText('flowpost.lock.json')
    expect(await apply('B')).toContain(hint)
    expect(readText('flowpost.lock.json')).toBe(before)
    expect(await apply('C', 'constructor')).not.toContain('lock.json')
    writeFileSync(pathOf('flowpost.lock.json'), 'broken')
    expect(await apply('C')).not.toContain('lock.json')
  })
})
