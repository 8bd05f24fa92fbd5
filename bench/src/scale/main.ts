import { parseArgs } from 'node:util'
import { openBenchDatabases, withClient } from '../database/bench-databases.ts'
import { seedProjects } from '../database/seed-projects.ts'
import type { LoadGenerator } from '../load/load-generator.ts'
import type { LoadRequest } from '../load/load-job.ts'
import { apiKey, startFlowpost } from '../processes/flowpost-server.ts'
import { createHousekeeping } from '../processes/housekeeping.ts'
import { startProgram } from '../processes/start-program.ts'
import { comparisonTable } from '../report/table.ts'
import { type Comparison, compare } from '../result.ts'
import { interleave } from '../rounds.ts'
import { type Context, message } from '../scenarios/context.ts'
import { saturated } from '../scenarios/saturated.ts'
import { explainAll } from './explain.ts'
import { fill } from './fill.ts'

// What the server costs with a full log, in proportion to an empty one: `pnpm bench:scale`.

const mail = { FLOWPOST_SMTP_URL: 'smtp://127.0.0.1:9', FLOWPOST_EMAIL_FROM: 'bench@example.com' }
const slowest = 1.5

const { values } = parseArgs({
  options: {
    projects: { type: 'string', default: '1000000' },
    notifications: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
  },
})
const serverUrl = process.env['DATABASE_URL']
if (!serverUrl) throw new TypeError('DATABASE_URL must name a PostgreSQL server whose user may create databases.')
const say = (line: string) => console.error(line)
const { later, undoAll } = createHousekeeping()
process.on('SIGINT', () => void undoAll().finally(() => process.exit(130)))

try {
  const databases = await openBenchDatabases(serverUrl)
  later(databases.dropAll)
  const load = startProgram<LoadGenerator>(new URL('../load/load-generator.ts', import.meta.url))
  later(load.stop)
  const measuredMs = Number(values.seconds) * 1000
  const options = { measuredMs, warmUpMs: 300, rounds: Number(values.rounds) } as Context['options']
  const context: Context = { options, load, postgres: undefined, later, say }

  const start = async (purpose: string, prepare: (url: string) => Promise<void>) => {
    const url = await databases.create(purpose)
    const environment = { ...mail, DATABASE_URL: url, FLOWPOST_ROLE: 'api' }
    const first = await startFlowpost(environment)
    const { one } = await seedProjects(first.port).finally(first.stop)
    await prepare(url)
    const server = await startFlowpost(environment)
    later(server.stop)
    const flow = `/v1/settings/projects/${one.id}/flows`
    const requests: Readonly<Record<string, LoadRequest>> = {
      'GET a flow': { method: 'GET', path: `${flow}/${one.flows[0]?.id}` },
      'GET the flows of a project': { method: 'GET', path: flow },
      'GET the projects': { method: 'GET', path: '/v1/settings/projects' },
      'GET the notifications': { method: 'GET', path: '/v1/notifications?limit=10' },
      'Accept a notification': { method: 'POST', path: '/v1/notifications', body: JSON.stringify({ project_id: one.id, ...message }) },
    }
    return {
      url,
      rate: (name: string) => saturated(context, server, [requests[name] as LoadRequest], `Bearer ${apiKey}`).perSecond,
      requests,
    }
  }

  const size = { projects: Number(values.projects), notifications: Number(values.notifications) }
  const empty = await start('scale_empty', (url) => withClient(url, async (client) => void (await client.query('vacuum analyze'))))
  const full = await start('scale_full', (url) => fill(url, size, say))
  console.log(`${size.projects} projects, ${size.notifications} notifications\n\n${await explainAll(full.url)}\n`)
  const comparisons: Comparison[] = []
  for (const title of Object.keys(empty.requests)) {
    const measured = await interleave(options.rounds, { empty: empty.rate(title), full: full.rate(title) })
    const head = { id: title, title, unit: 'requests/s', floor: 'empty', subject: 'full', goal: { atLeast: 1 / slowest } }
    comparisons.push(compare(head, measured.empty, measured.full))
  }
  console.log(comparisonTable(comparisons))
} finally {
  await undoAll()
}
