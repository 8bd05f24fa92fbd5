import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { blocksOf, readFromRepository, readGuide } from '../support/guide-pages.ts'
import { openGuideTerminal } from '../support/guide-terminal.ts'
import { startTestServer } from '../support/test-server.ts'

const chart = 'ops/helm/flowpost'
const guide = readGuide('kubernetes')
const blocks = blocksOf('kubernetes')
const commands = blocks.filter(({ language }) => language === 'bash').map(({ code }) => code.replaceAll('\\\n  ', ''))
const examples = blocks.filter(({ language }) => language === 'yaml').map(({ code }) => code)
const [example = ''] = examples

/** Returns the paths of all keys, such as `image.tag`, in YAML with one key per line. Omits the items of lists. */
const pathsIn = (yaml: string): string[] => {
  const open: string[] = []
  const withoutItems = yaml.replaceAll(/^( *)- .*\n(?:\1 .*\n)*/gm, '')
  return [...withoutItems.matchAll(/^( *)(\w+):/gm)].map(([, indent = '', key = '']) => {
    open.splice(indent.length / 2, Number.POSITIVE_INFINITY, key)
    return open.join('.')
  })
}

const values = pathsIn(readFromRepository(`${chart}/values.yaml`))
const deployments = readFromRepository(`${chart}/templates/deployments.yaml`)

it('kubernetes.md uses values that the chart has', () => {
  const used = [...guide.matchAll(/`((?:api|worker|image|service|autoscaling|networkPolicy|podSecurityContext)\.(?!yml)[a-zA-Z]+)`/g)].map(
    ([, path]) => path,
  )
  expect(used.length).toBeGreaterThan(5)
  const set = examples.flatMap(pathsIn).filter((path) => !path.startsWith('config.'))
  for (const path of [...set, ...used]) expect(values).toContain(path)
})

it('kubernetes.md sets variables that the server accepts', () => {
  const created = spawnSync('kubectl', ['version', '--client'])
  const [secret = ''] = commands.filter((command) => command.startsWith('kubectl create secret'))
  const literals = Object.fromEntries(
    [...secret.matchAll(/--from-literal=(\w+)=(?:'([^']+)')?/g)].map(([, name = '', value]) => [name, value]),
  )
  expect(literals).toMatchObject({ DATABASE_URL: expect.any(String), FLOWPOST_SMTP_URL: expect.any(String) })
  const FLOWPOST_ENCRYPTION_KEY = `k1:${Buffer.alloc(32, 1).toString('base64')}`
  const [, from = ''] = /FLOWPOST_EMAIL_FROM: (.+)/.exec(example) ?? []
  const { config, warnings } = readConfig({ ...literals, FLOWPOST_ENCRYPTION_KEY, FLOWPOST_EMAIL_FROM: from, NODE_ENV: 'production' })
  expect([config.databaseUrl, warnings]).toEqual([literals['DATABASE_URL'], []])
  if (created.status !== 0) return
  const { stdout } = spawnSync('sh', ['-c', `${secret.trim()} --dry-run=client -o json`], { encoding: 'utf8' })
  const { data } = JSON.parse(stdout) as { data: Record<string, string> }
  const decode = (name: string) => Buffer.from(data[name] ?? '', 'base64').toString()
  expect(decode('DATABASE_URL')).toBe(literals['DATABASE_URL'])
  expect(readConfig({ FLOWPOST_ENCRYPTION_KEY: decode('FLOWPOST_ENCRYPTION_KEY') }).config.encryptionKeys).toHaveLength(1)
})

it('kubernetes.md names the resources and the folder of the chart', () => {
  expect(readFromRepository(`${chart}/Chart.yaml`)).toContain('\nname: flowpost\n')
  expect(deployments).toContain('range $role := list "api" "worker"')
  expect(deployments).toContain('name: {{ $name }}-{{ $role }}')
  const all = commands.join('\n')
  expect(new Set(all.match(/(?<=deployment\/)\S+/g))).toEqual(new Set(['flowpost-api', 'flowpost-worker']))
  const helmCommands = [...all.matchAll(/^helm (install|upgrade) flowpost (\S+) --values flowpost-values\.yaml --timeout 24h$/gm)]
  expect(helmCommands.map(([, verb, path]) => [verb, path])).toEqual([
    ['install', chart],
    ['upgrade', chart],
  ])
  expect(all.match(/^helm /gm)).toHaveLength(2)
  const [, servicePort] = /service\/flowpost 3000:(\d+)/.exec(all) ?? []
  expect(readFromRepository(`${chart}/values.yaml`)).toContain(`\n  port: ${servicePort}\n`)
  expect(readFromRepository(`${chart}/templates/migrate.yaml`)).toContain('}}-migrate\n')
})

it('kubernetes.md describes the probes and the grace periods of the chart', () => {
  const rows = [...guide.matchAll(/^\| (startup|liveness|readiness) \| `(\/\w+)`, every (\d+) s/gm)]
  expect(rows).toHaveLength(3)
  for (const [, kind, path, seconds] of rows)
    expect(deployments).toMatch(new RegExp(`${kind}Probe:\\n +httpGet: \\{ path: ${path}, port: http \\}\\n +periodSeconds: ${seconds}\\n`))
  expect([guide, deployments]).toEqual([expect.stringContaining('up to 60 times'), expect.stringContaining('failureThreshold: 60')])
  expect(guide).toContain('grace period is 40 s for `api` and 30 s for `worker`')
  expect(deployments).toContain('terminationGracePeriodSeconds: {{ if eq $role "api" }}40{{ else }}30{{ end }}')
})

it('kubernetes.md creates an API key with a command that works', async () => {
  const [, command] = /^kubectl exec deployment\/flowpost-api -- (node bin\/keys\.js .+)$/m.exec(commands.join('\n')) ?? []
  await using server = await startTestServer()
  await using terminal = openGuideTerminal(server)
  const { code, output } = await terminal.run(`(cd '${resolve(import.meta.dirname, '../..')}' && ${command})`)
  expect([code, output]).toEqual([0, expect.stringMatching(/^fp_\S+\n/m)])
})
