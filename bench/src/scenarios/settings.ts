import { flowFields } from '../database/seed-projects.ts'
import { shuffled } from '../database/seed-settings.ts'
import type { Floor } from '../floors/bare-server.ts'
import type { LoadRequest } from '../load/load-job.ts'
import { apiKey, startFlowpost } from '../processes/flowpost-server.ts'
import { startProgram } from '../processes/start-program.ts'
import { type Comparison, compare, type Figure, type Goal } from '../result.ts'
import { interleave } from '../rounds.ts'
import { type Context, type Findings, floorPoolSize, type PreparedPostgres, reportRounds } from './context.ts'
import { cpuFigures, saturated } from './saturated.ts'

const flowBody = JSON.stringify(flowFields('changed@example.com'))

interface SettingsWorkload {
  readonly id: string
  readonly title: string
  readonly program: URL
  readonly floor: string
  readonly goal: Goal
  /** The same requests to both sides. */
  readonly requests: { readonly floor: readonly LoadRequest[]; readonly server: readonly LoadRequest[] }
}

const workloads = ({ settings }: PreparedPostgres): readonly SettingsWorkload[] => {
  const { hundred, many, uuids } = settings
  const flow = (index: number) => ({
    floor: `/${uuids.many}/${uuids.flows[index]}`,
    server: `/v1/settings/projects/${many.id}/flows/${many.flowIds[index]}`,
  })
  const each = (indexes: readonly number[], toRequest: (path: string) => LoadRequest) => ({
    floor: indexes.map((index) => toRequest(flow(index).floor)),
    server: indexes.map((index) => toRequest(flow(index).server)),
  })
  const get = (path: string): LoadRequest => ({ method: 'GET', path })
  const put = (path: string): LoadRequest => ({ method: 'PUT', path, body: flowBody })
  const everyFlow = shuffled(many.flowIds.length)
  const list = {
    floor: [get(`/${uuids.hundred}`)],
    server: [get(`/v1/settings/projects/${hundred.id}/flows?limit=100`)],
  }
  const join = { program: new URL('../floors/settings-get-floor.ts', import.meta.url), floor: 'node:http + one prepared join' }
  return [
    // More flows than a round reads, each once: whatever the server keeps, it has not read this one lately.
    { ...join, id: 'get-uncached', title: 'GET a flow, ever another one', goal: { atLeast: 0.7 }, requests: each(everyFlow, get) },
    { ...join, id: 'get-cached', title: 'GET a flow, always the same', goal: { atLeast: 1.5 }, requests: each([0], get) },
    {
      id: 'list',
      title: 'GET a list of 100 flows',
      program: new URL('../floors/settings-list-floor.ts', import.meta.url),
      floor: 'node:http + one prepared join + JSON.stringify of its rows',
      goal: { atLeast: 0.6 },
      requests: list,
    },
    {
      id: 'put',
      title: 'PUT a flow',
      program: new URL('../floors/settings-put-floor.ts', import.meta.url),
      floor: 'node:http + one prepared UPDATE',
      goal: { atLeast: 0.5 },
      requests: each(everyFlow, put),
    },
  ]
}

/** Reading and writing settings. */
export const measureSettings = async (context: Context): Promise<Findings> => {
  const { postgres, options } = context
  if (!postgres) return { comparisons: [], figures: [] }
  const floorUrl = await postgres.databases.create('settings_floor', postgres.template)
  const serverUrl = await postgres.databases.create('settings', postgres.template)
  const server = await startFlowpost({ DATABASE_URL: serverUrl, FLOWPOST_ROLE: 'api' }, options.profileDir)
  context.later(server.stop)
  const comparisons: Comparison[] = []
  const figures: Figure[] = []
  for (const { id, title, program, floor, goal, requests } of workloads(postgres)) {
    const bare = startProgram<Floor>(program)
    context.later(bare.stop)
    const port = await bare.call('start', { databaseUrl: floorUrl, poolSize: floorPoolSize })
    const floorSide = saturated(context, { port, pid: bare.pid }, requests.floor, `Bearer ${apiKey}`)
    const serverSide = saturated(context, server, requests.server, `Bearer ${apiKey}`)
    const sides = { floor: floorSide.perSecond, Flowpost: serverSide.perSecond }
    const measured = await interleave(options.rounds, sides, reportRounds(context, title))
    comparisons.push(compare({ id, title, unit: 'requests/s', floor, subject: 'Flowpost', goal }, measured.floor, measured.Flowpost))
    figures.push(...cpuFigures(title, floorSide, serverSide))
    await bare.stop()
  }
  return { comparisons, figures }
}
