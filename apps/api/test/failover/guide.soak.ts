import { expect, it } from 'vitest'
import { blocksOf } from '../support/guide-pages.ts'
import { openGuideTerminal } from '../support/guide-terminal.ts'
import { startTestServer } from '../support/test-server.ts'
import { startCluster } from './cluster.ts'
import { findPrograms } from './programs.ts'

const programs = findPrograms()
const find = (text: string) => blocksOf('failover').find(({ code }) => code.includes(text))?.code ?? ''

// The cluster starts etcd, Patroni and HAProxy on free ports, and creates a database with the name that the guide uses.
const withNames = (commands: string, proxy: string) =>
  commands.replaceAll('127.0.0.1:5432', proxy).replaceAll(/\bflowpost\b(?=[: ';\n]|$)/g, 'flowpost_guide')

it.skipIf(programs === undefined)('the commands in failover.md create a database, and move its primary without a failed call', async () => {
  if (programs === undefined) return
  await using cluster = await startCluster(programs)
  const proxy = new URL(cluster.url).host
  const [, DATABASE_URL = ''] = /DATABASE_URL=(\S+)/.exec(withNames(find('npx pnpm start'), proxy)) ?? []
  const database = { env: { DATABASE_URL, FLOWPOST_CAPTURE: 'missing' }, url: DATABASE_URL, dataDir: '', remove: async () => {} }
  await using bootstrap = await startTestServer()
  await using terminal = openGuideTerminal({ ...bootstrap, database })
  await terminal.run(`cd '${cluster.folder}'; export PGPASSWORD=secret`)
  for (const [name, value] of Object.entries(cluster.nodes[0]?.env ?? {}))
    if (name.startsWith('PATRONI_')) await terminal.run(`export ${name}='${value}'`)

  const listed = await terminal.run(find('patroni.yml list'))
  expect([listed.code, listed.output]).toEqual([0, expect.stringMatching(/Leader[\s\S]*Sync Standby|Sync Standby[\s\S]*Leader/)])
  expect(await terminal.run(withNames(find('create role'), proxy))).toEqual({ code: 0, output: 'CREATE ROLE\nCREATE DATABASE\n' })
  await terminal.run('unset PGPASSWORD')
  expect((await terminal.run(find('show synchronous_standby_names'))).output).toMatch(/^\S.*\non\n$/)

  await using server = await startTestServer({ database })
  const flowpost = server.client()
  const project = await flowpost.projects.create({ name: 'billing' })
  await flowpost.flows.create(project.id, { name: 'mail', source_type: 'smtp', target: 'ops@example.com' })
  const before = await cluster.waitForPrimary()
  let isMoved = false
  const sending = (async () => {
    let count = 0
    for (; !isMoved; count += 1) await flowpost.notifications.send({ project_id: project.id, subject: 'Invoice', message: `${count}` })
    return count
  })()
  expect(await terminal.run(find('switchover --force'))).toMatchObject({ code: 0 })
  expect(await cluster.waitForPrimary(before)).not.toBe(before)
  isMoved = true
  expect(await sending).toBeGreaterThan(0)
})
