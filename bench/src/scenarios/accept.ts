import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SeededProjects, seedProjects } from '../database/seed-projects.ts'
import type { AcceptTarget } from '../floors/accept-statement.ts'
import type { AcceptWithoutHttp } from '../floors/accept-without-http.ts'
import type { Floor } from '../floors/bare-server.ts'
import type { LoadResult } from '../load/load-job.ts'
import { apiKey, startFlowpost } from '../processes/flowpost-server.ts'
import { residentMiB } from '../processes/memory.ts'
import { startProgram } from '../processes/start-program.ts'
import { type Comparison, compare, type Figure } from '../result.ts'
import { interleave, type Measure } from '../rounds.ts'
import { quantile } from '../statistics.ts'
import { type Context, clientConnections, type Findings, floorPoolSize, message, type PreparedPostgres, reportRounds } from './context.ts'

// No mail leaves: what is measured ends with the 202. A server needs credentials all the same to accept at all.
const mail = { FLOWPOST_SMTP_URL: 'smtp://127.0.0.1:9', FLOWPOST_EMAIL_FROM: 'bench@example.com' }
const hourMs = 3_600_000
const flowCounts = { one: 'one flow', three: 'three flows' } as const

type Side = (flows: keyof typeof flowCounts, connections: number) => Promise<LoadResult>

const saturate = (context: Context, port: number, connections: number, body: object, authorization?: string): Promise<LoadResult> =>
  context.load.call('saturate', {
    port,
    ...(authorization === undefined ? {} : { authorization }),
    connections,
    requests: [{ method: 'POST', path: '/v1/notifications', body: JSON.stringify(body) }],
    warmUpMs: context.options.warmUpMs,
    measuredMs: context.options.measuredMs,
  })

const startFloor = async (context: Context, { databases, template, targets }: PreparedPostgres, purpose: string): Promise<Side> => {
  const floor = startProgram<Floor>(new URL('../floors/accept-floor.ts', import.meta.url))
  context.later(floor.stop)
  const port = await floor.call('start', { databaseUrl: await databases.create(purpose, template), poolSize: floorPoolSize })
  return (flows, connections) => saturate(context, port, connections, { ...targets[flows], ...message })
}

const startWithoutHttp = async (context: Context, { databases, template }: PreparedPostgres) => {
  const floor = startProgram<AcceptWithoutHttp>(new URL('../floors/accept-without-http.ts', import.meta.url))
  context.later(floor.stop)
  await floor.call('start', { databaseUrl: await databases.create('accept_statement', template), poolSize: floorPoolSize })
  const { warmUpMs, measuredMs } = context.options
  return (target: AcceptTarget) => floor.call('saturate', { target, ...message, warmUpMs, measuredMs })
}

const startServer = async (context: Context, environment: Record<string, string>) => {
  const server = await startFlowpost({ ...mail, ...environment }, context.options.profileDir)
  context.later(server.stop)
  const send = (projects: SeededProjects, more: object): Side => {
    return (flows, connections) =>
      saturate(context, server.port, connections, { project_id: projects[flows].id, ...message, ...more }, `Bearer ${apiKey}`)
  }
  return { ...server, send }
}

const startOnPostgres = async (context: Context, { databases, template, projects }: PreparedPostgres, purpose: string) => {
  const server = await startServer(context, { DATABASE_URL: await databases.create(purpose, template), FLOWPOST_ROLE: 'api' })
  return { pid: server.pid, send: server.send(projects, {}) }
}

const startEmbedded = async (context: Context) => {
  const folder = await mkdtemp(join(tmpdir(), 'flowpost-bench-'))
  context.later(() => rm(folder, { recursive: true }))
  const server = await startServer(context, { FLOWPOST_DATA_DIR: folder })
  const projects = await seedProjects(server.port)
  // The worker shares the process of an embedded server. What is due in an hour leaves it idle, as beside FLOWPOST_ROLE=api.
  const later = server.send(projects, { send_at: new Date(Date.now() + hourMs).toISOString() })
  return { pid: server.pid, send: later }
}

/** Accepted notifications a second, and the memory that accepting takes. */
export const measureAccepting = async (context: Context): Promise<Findings> => {
  const { postgres, options } = context
  const embedded = await startEmbedded(context)
  const server = postgres && (await startOnPostgres(context, postgres, 'accept'))
  const floor = postgres && (await startFloor(context, postgres, 'accept_floor'))
  const withoutHttp = postgres && (await startWithoutHttp(context, postgres))
  const comparisons: Comparison[] = []
  const figures: Figure[] = []

  for (const [flows, title] of Object.entries(flowCounts) as [keyof typeof flowCounts, string][]) {
    const perSecond =
      (side: Side): Measure =>
      async () =>
        (await side(flows, clientConnections)).perSecond
    const sides: Record<string, Measure> = { PGlite: perSecond(embedded.send) }
    if (floor && server && withoutHttp) {
      sides['floor'] = perSecond(floor)
      sides['Flowpost'] = perSecond(server.send)
      sides['statement alone'] = () => withoutHttp(postgres.targets[flows])
    }
    const measured = await interleave(options.rounds, sides, reportRounds(context, `accepted/s, ${title}`))
    const { PGlite = [], floor: bare, Flowpost = [], 'statement alone': alone = [] } = measured
    if (!bare) {
      figures.push({ title: `Accepted, ${title}, PGlite`, unit: 'notifications/s', value: quantile(PGlite, 0.5) })
      continue
    }
    const head = { title: `Accepted, ${title}`, unit: 'notifications/s', floor: 'node:http + one prepared statement', subject: 'Flowpost' }
    comparisons.push(
      compare({ ...head, id: `accept-${flows}`, goal: { atLeast: 1.1 } }, bare, Flowpost),
      compare({ ...head, id: `accept-${flows}-pglite`, subject: 'Flowpost on PGlite', goal: { atLeast: 0.75 } }, bare, PGlite),
      compare({ ...head, id: `accept-${flows}-alone`, floor: 'the statement alone, without HTTP' }, alone, Flowpost),
    )
  }
  if (server) figures.push({ title: 'Memory after accepting, PostgreSQL', unit: 'MiB', value: await residentMiB(server.pid) })
  figures.push({ title: 'Memory after accepting, PGlite', unit: 'MiB', value: await residentMiB(embedded.pid) })
  return { comparisons, figures }
}

/** How long one client waits for its 202 when nobody else is there. */
export const measureLatency = async (context: Context): Promise<Findings> => {
  const { postgres, options } = context
  if (!postgres) return { comparisons: [], figures: [] }
  const [floor, server] = [await startFloor(context, postgres, 'latency_floor'), await startOnPostgres(context, postgres, 'latency')]
  const p50Ms =
    (side: Side): Measure =>
    async () =>
      (await side('one', 1)).p50Ms
  const sides = { floor: p50Ms(floor), Flowpost: p50Ms(server.send) }
  const measured = await interleave(options.rounds, sides, reportRounds(context, 'accept, p50 at one connection'))
  const comparison = compare(
    {
      id: 'accept-latency',
      title: 'Accept, p50 at one connection',
      unit: 'ms',
      floor: 'node:http + one prepared statement',
      subject: 'Flowpost',
      goal: { atMost: 1.25 },
    },
    measured.floor,
    measured.Flowpost,
  )
  return { comparisons: [comparison], figures: [] }
}
