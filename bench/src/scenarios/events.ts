import { seedEndpoints, seedOtherEndpoints } from '../database/seed-endpoints.ts'
import type { SeededProjects } from '../database/seed-projects.ts'
import { sharedClockMs } from '../load/generate-load.ts'
import { cpuMs } from '../processes/cpu-time.ts'
import { apiKey, type FlowpostServer, startFlowpost } from '../processes/flowpost-server.ts'
import { type Comparison, compare, type Goal } from '../result.ts'
import { interleave } from '../rounds.ts'
import { completedOnServer } from './completion.ts'
import { type Context, type Findings, message, reportRounds } from './context.ts'
import { startEmbeddedServer } from './embedded-server.ts'
import { type Mail, receiveAll, sendNumbered, startMail } from './mail.ts'
import { saturated } from './saturated.ts'

const otherEndpoints = 1_000
const shortOtherEndpoints = 40
const messagesPerMeasuredMs = 1
const shortMessages = 100
const hourMs = 3_600_000

/** The sides of the comparison, which differ in their event endpoints. */
type Side = 'none' | 'others' | 'failures' | 'successes'

const subjects: Readonly<Record<Exclude<Side, 'none'>, { readonly name: string; readonly isFree: boolean }>> = {
  others: { name: '1,000 endpoints of other projects', isFree: true },
  failures: { name: '20 endpoints of the project, for failures', isFree: false },
  // Every message causes two events for these endpoints. The transaction that stores the message's outcome also stores the
  // events, which takes time.
  successes: { name: '20 endpoints of the project, for every message', isFree: false },
}

interface Database {
  readonly name: 'PostgreSQL' | 'PGlite'
  start(environment: Readonly<Record<string, string>>): Promise<{ readonly server: FlowpostServer; readonly projects: SeededProjects }>
}

const databasesOf = (context: Context): Database[] => {
  const { postgres, options, defer } = context
  const embedded: Database = { name: 'PGlite', start: (environment) => startEmbeddedServer(context, environment) }
  if (!postgres) return [embedded]
  let databases = 0
  const start: Database['start'] = async (environment) => {
    databases += 1
    const url = await postgres.databases.create(`events_${databases}`, postgres.template)
    const server = await startFlowpost({ ...environment, DATABASE_URL: url }, options.profileDir)
    defer(server.stop)
    return { server, projects: postgres.projects }
  }
  return [{ name: 'PostgreSQL', start }, embedded]
}

const seed = async ({ options }: Context, side: Side, port: number, projectId: string): Promise<void> => {
  if (side === 'others') await seedOtherEndpoints(port, options.short ? shortOtherEndpoints : otherEndpoints)
  else if (side !== 'none') await seedEndpoints(port, projectId, side)
}

/** Starts a server with API and worker in one process, and returns the functions that measure it. */
const startSide = async (context: Context, mail: Mail, database: Database, side: Side, count: number) => {
  const secrets = { FLOWPOST_ENCRYPTION_KEY: `bench:${Buffer.alloc(32, 1).toString('base64')}` }
  const { server, projects } = await database.start({ ...mail.environment, ...secrets })
  await seed(context, side, server.port, projects.one.id)
  const cpuUs: number[] = []
  const delivered = async () => {
    await mail.sink.call('reset')
    const cpuBeforeMs = await cpuMs(server.pid)
    const startedAtMs = sharedClockMs()
    await sendNumbered(context, server.port, projects.one, count)
    const lastAtMs = (await receiveAll(mail, count)).reduce((last, atMs) => Math.max(last, atMs))
    await completedOnServer(server.port)
    const cpuAfterMs = await cpuMs(server.pid)
    if (cpuBeforeMs !== undefined && cpuAfterMs !== undefined) cpuUs.push(((cpuAfterMs - cpuBeforeMs) * 1000) / count)
    return (count * 1000) / (lastAtMs - startedAtMs)
  }
  // Messages that are due in an hour keep the worker idle during the measurement.
  const body = JSON.stringify({ project_id: projects.one.id, ...message, send_at: new Date(Date.now() + hourMs).toISOString() })
  const accepted = saturated(context, server, [{ method: 'POST', path: '/v1/notifications', body }], `Bearer ${apiKey}`)
  // The first round is the warm-up.
  return { delivered, accepted, cpuOfRounds: () => cpuUs.slice(1) }
}

const sidesOf = <Value>(of: (side: Side) => Value): Record<Side, Value> => ({
  none: of('none'),
  others: of('others'),
  failures: of('failures'),
  successes: of('successes'),
})

const comparisonsOf = (
  head: Pick<Comparison, 'id' | 'title' | 'unit'>,
  maxCost: (ratio: number) => Goal,
  measured: Readonly<Record<Side, number[]>>,
): Comparison[] =>
  (Object.keys(subjects) as (keyof typeof subjects)[]).map((side) => {
    const { name, isFree } = subjects[side]
    const goal = isFree ? { goal: maxCost(0.05) } : {}
    return compare({ ...head, id: `${head.id}-${side}`, baseline: 'no endpoint', subject: name, ...goal }, measured.none, measured[side])
  })

const slowerBy = (ratio: number): Goal => ({ atLeast: 1 - ratio })
const moreBy = (ratio: number): Goal => ({ atMost: 1 + ratio })

const measureOn = async (context: Context, mail: Mail, database: Database): Promise<Comparison[]> => {
  const { options } = context
  const count = options.short ? shortMessages : Math.round(messagesPerMeasuredMs * options.measuredMs)
  const started: Partial<Record<Side, Awaited<ReturnType<typeof startSide>>>> = {}
  for (const side of Object.keys(sidesOf(() => 0)) as Side[]) started[side] = await startSide(context, mail, database, side, count)
  const sides = started as Required<typeof started>

  // Delivery is measured first, because the measurement of acceptance leaves scheduled messages in the database.
  const delivering = reportRounds(context, `sent and delivered/s, ${database.name}`)
  const delivered = await interleave(
    options.rounds,
    sidesOf((side) => sides[side].delivered),
    delivering,
  )
  const accepting = reportRounds(context, `accepted/s, ${database.name}`)
  const accepted = await interleave(
    options.rounds,
    sidesOf((side) => sides[side].accepted.perSecond),
    accepting,
  )
  const { name } = database
  const on = name.toLowerCase()
  const delivery = { id: `events-delivered-${on}`, title: `Sent and delivered, ${name}`, unit: 'messages/s' }
  const cpu = { id: `events-cpu-${on}`, title: `CPU time per message sent and delivered, ${name}`, unit: 'µs' }
  const acceptance = { id: `events-accepted-${on}`, title: `Accepted, ${name}`, unit: 'notifications/s' }
  const cpuUs = sidesOf((side) => sides[side].cpuOfRounds())
  return [
    ...comparisonsOf(delivery, slowerBy, delivered),
    ...(cpuUs.none.length > 0 ? comparisonsOf(cpu, moreBy, cpuUs) : []),
    ...comparisonsOf(acceptance, slowerBy, accepted),
  ]
}

/** Measures the cost of event endpoints, both in other projects and in the project that sends the messages. */
export const measureEvents = async (context: Context): Promise<Findings> => {
  const mail = await startMail(context)
  const comparisons: Comparison[] = []
  for (const database of databasesOf(context)) comparisons.push(...(await measureOn(context, mail, database)))
  return { comparisons, figures: [] }
}
