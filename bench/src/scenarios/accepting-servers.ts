import type { AcceptWithoutHttp } from '../baselines/accept-without-http.ts'
import type { Baseline } from '../baselines/bare-server.ts'
import type { SeededProjects } from '../database/seed-projects.ts'
import { apiKey, type FlowpostServer, startFlowpost } from '../processes/flowpost-server.ts'
import { startProgram } from '../processes/start-program.ts'
import { baselinePoolSize, type Context, message, type PreparedPostgres } from './context.ts'
import { startEmbeddedServer } from './embedded-server.ts'
import { type Saturated, saturated } from './saturated.ts'

/** The project to which notifications are sent, named by its number of flows. */
export type Flows = keyof SeededProjects

/** A server or baseline that accepts notifications. */
export interface Accepting {
  readonly pid: number
  /** Returns a workload that sends notifications to the project with this number of flows. */
  readonly with: (flows: Flows) => Saturated
}

/** A server that also accepts batches. */
export interface AcceptingBatches extends Accepting {
  /** Returns a workload that sends notifications in batches. Its rate counts batches, not notifications. */
  readonly withBatches: (flows: Flows, items: number) => Saturated
}

// The server needs these credentials to accept messages. No mail is sent, because no worker runs.
const mail = { FLOWPOST_SMTP_URL: 'smtp://127.0.0.1:9', FLOWPOST_EMAIL_FROM: 'bench@example.com' }
const hourMs = 3_600_000

const post = (body: object) => [{ method: 'POST', path: '/v1/notifications', body: JSON.stringify(body) } as const]

const accepting = (context: Context, server: FlowpostServer, projects: SeededProjects, more: object): AcceptingBatches => {
  const bodyOf = (flows: Flows) => ({ project_id: projects[flows].id, ...message, ...more })
  return {
    pid: server.pid,
    with: (flows) => saturated(context, server, post(bodyOf(flows)), `Bearer ${apiKey}`),
    withBatches: (flows, items) => {
      const body = JSON.stringify({ notifications: Array.from({ length: items }, () => bodyOf(flows)) })
      return saturated(context, server, [{ method: 'POST', path: '/v1/notifications/batch', body }], `Bearer ${apiKey}`)
    },
  }
}

/** Starts the baseline: a `node:http` server that runs one SQL statement per request. */
export const startBaseline = async (context: Context, postgres: PreparedPostgres, purpose: string): Promise<Accepting> => {
  const baseline = startProgram<Baseline>(new URL('../baselines/accept-baseline.ts', import.meta.url))
  context.defer(baseline.stop)
  const databaseUrl = await postgres.databases.create(purpose, postgres.template)
  const port = await baseline.call('start', { databaseUrl, poolSize: baselinePoolSize })
  return {
    pid: baseline.pid,
    with: (flows) => saturated(context, { port, pid: baseline.pid }, post({ ...postgres.targets[flows], ...message })),
  }
}

/** Starts the baseline without its HTTP server. Returns a function that measures how many statements per second it runs. */
export const startStatementAlone = async (context: Context, { databases, template, targets }: PreparedPostgres) => {
  const baseline = startProgram<AcceptWithoutHttp>(new URL('../baselines/accept-without-http.ts', import.meta.url))
  context.defer(baseline.stop)
  await baseline.call('start', { databaseUrl: await databases.create('accept_statement', template), poolSize: baselinePoolSize })
  const { warmUpMs, measuredMs } = context.options
  return (flows: Flows) => baseline.call('saturate', { target: targets[flows], ...message, warmUpMs, measuredMs })
}

/** Starts an API process without a worker, on PostgreSQL. */
export const startOnPostgres = async (context: Context, postgres: PreparedPostgres, purpose: string): Promise<AcceptingBatches> => {
  const databaseUrl = await postgres.databases.create(purpose, postgres.template)
  const server = await startFlowpost({ ...mail, DATABASE_URL: databaseUrl, FLOWPOST_ROLE: 'api' }, context.options.profileDir)
  context.defer(server.stop)
  return accepting(context, server, postgres.projects, {})
}

/** Starts a server on the embedded database. */
export const startEmbedded = async (context: Context): Promise<AcceptingBatches> => {
  const { server, projects } = await startEmbeddedServer(context, mail)
  // A server on the embedded database includes a worker. Messages that are due in an hour leave the worker idle.
  return accepting(context, server, projects, { send_at: new Date(Date.now() + hourMs).toISOString() })
}
