import type { AcceptWithoutHttp } from '../baselines/accept-without-http.ts'
import type { Baseline } from '../baselines/bare-server.ts'
import type { SeededProjects } from '../database/seed-projects.ts'
import { apiKey, type FlowpostServer, startFlowpost } from '../processes/flowpost-server.ts'
import { startProgram } from '../processes/start-program.ts'
import { baselinePoolSize, type Context, message, type PreparedPostgres } from './context.ts'
import { startEmbeddedServer } from './embedded-server.ts'
import { type Saturated, saturated } from './saturated.ts'

/** The projects that notifications are accepted for. */
export type Flows = keyof SeededProjects

/** Something that accepts. */
export interface Accepting {
  readonly pid: number
  /** Loads it with notifications that trigger so many flows. */
  readonly with: (flows: Flows) => Saturated
}

// No mail leaves: what is measured ends with the 202. But a server accepts only what it has credentials for.
const mail = { FLOWPOST_SMTP_URL: 'smtp://127.0.0.1:9', FLOWPOST_EMAIL_FROM: 'bench@example.com' }
const hourMs = 3_600_000

const post = (body: object) => [{ method: 'POST', path: '/v1/notifications', body: JSON.stringify(body) } as const]

const accepting = (context: Context, server: FlowpostServer, projects: SeededProjects, more: object): Accepting => ({
  pid: server.pid,
  with: (flows) => saturated(context, server, post({ project_id: projects[flows].id, ...message, ...more }), `Bearer ${apiKey}`),
})

/** Starts the baseline: node:http and one statement. */
export const startBaseline = async (context: Context, postgres: PreparedPostgres, purpose: string): Promise<Accepting> => {
  const baseline = startProgram<Baseline>(new URL('../baselines/accept-baseline.ts', import.meta.url))
  context.later(baseline.stop)
  const databaseUrl = await postgres.databases.create(purpose, postgres.template)
  const port = await baseline.call('start', { databaseUrl, poolSize: baselinePoolSize })
  return {
    pid: baseline.pid,
    with: (flows) => saturated(context, { port, pid: baseline.pid }, post({ ...postgres.targets[flows], ...message })),
  }
}

/** Starts what runs the statement of the baseline without HTTP. @returns statements a second. */
export const startStatementAlone = async (context: Context, { databases, template, targets }: PreparedPostgres) => {
  const baseline = startProgram<AcceptWithoutHttp>(new URL('../baselines/accept-without-http.ts', import.meta.url))
  context.later(baseline.stop)
  await baseline.call('start', { databaseUrl: await databases.create('accept_statement', template), poolSize: baselinePoolSize })
  const { warmUpMs, measuredMs } = context.options
  return (flows: Flows) => baseline.call('saturate', { target: targets[flows], ...message, warmUpMs, measuredMs })
}

/** Starts a server that only accepts, on PostgreSQL. */
export const startOnPostgres = async (context: Context, postgres: PreparedPostgres, purpose: string): Promise<Accepting> => {
  const databaseUrl = await postgres.databases.create(purpose, postgres.template)
  const server = await startFlowpost({ ...mail, DATABASE_URL: databaseUrl, FLOWPOST_ROLE: 'api' }, context.options.profileDir)
  context.later(server.stop)
  return accepting(context, server, postgres.projects, {})
}

/** Starts a server on the embedded database. */
export const startEmbedded = async (context: Context): Promise<Accepting> => {
  const { server, projects } = await startEmbeddedServer(context, mail)
  // The worker shares the process of an embedded server. What is due in an hour leaves it idle, as beside FLOWPOST_ROLE=api.
  return accepting(context, server, projects, { send_at: new Date(Date.now() + hourMs).toISOString() })
}
