import type { Baseline } from '../baselines/bare-server.ts'
import { flowFields } from '../database/seed-projects.ts'
import { shuffled } from '../database/seed-settings.ts'
import type { LoadRequest } from '../load/load-job.ts'
import { apiKey, startFlowpost } from '../processes/flowpost-server.ts'
import { startProgram } from '../processes/start-program.ts'
import { type Comparison, compare, type Figure, type Goal } from '../result.ts'
import { interleave } from '../rounds.ts'
import { baselinePoolSize, type Context, type Findings, type PreparedPostgres, reportRounds } from './context.ts'
import { cpuFigures, saturated } from './saturated.ts'

const flowBody = JSON.stringify(flowFields('changed@example.com'))

interface SettingsWorkload {
  readonly id: string
  readonly title: string
  readonly program: URL
  readonly baseline: string
  readonly goal: Goal
  /** Equivalent requests to the baseline and to the Flowpost server. */
  readonly requests: { readonly baseline: readonly LoadRequest[]; readonly server: readonly LoadRequest[] }
}

const workloads = ({ settings }: PreparedPostgres): readonly SettingsWorkload[] => {
  const { hundred, many, uuids } = settings
  const flow = (index: number) => ({
    baseline: `/${uuids.many}/${uuids.flows[index]}`,
    server: `/v1/settings/projects/${many.id}/flows/${many.flowIds[index]}`,
  })
  const each = (indexes: readonly number[], toRequest: (path: string) => LoadRequest) => ({
    baseline: indexes.map((index) => toRequest(flow(index).baseline)),
    server: indexes.map((index) => toRequest(flow(index).server)),
  })
  const get = (path: string): LoadRequest => ({ method: 'GET', path })
  const put = (path: string): LoadRequest => ({ method: 'PUT', path, body: flowBody })
  const everyFlow = shuffled(many.flowIds.length)
  const list = {
    baseline: [get(`/${uuids.hundred}`)],
    server: [get(`/v1/settings/projects/${hundred.id}/flows?limit=100`)],
  }
  const join = { program: new URL('../baselines/settings-get-baseline.ts', import.meta.url), baseline: 'node:http + one prepared join' }
  return [
    // No read hits the server's cache, because a cached flow expires after 1 s, before it is read again. With `--short`,
    // there are fewer flows, so some reads hit the cache.
    {
      ...join,
      id: 'get-uncached',
      title: 'GET a flow, a different flow each time',
      goal: { atLeast: 0.7 },
      requests: each(everyFlow, get),
    },
    { ...join, id: 'get-cached', title: 'GET a flow, the same flow each time', goal: { atLeast: 1.5 }, requests: each([0], get) },
    {
      id: 'list',
      title: 'GET a list of 100 flows',
      program: new URL('../baselines/settings-list-baseline.ts', import.meta.url),
      baseline: 'node:http + one prepared join + JSON.stringify of its rows',
      goal: { atLeast: 0.6 },
      requests: list,
    },
    {
      id: 'put',
      title: 'PUT a flow',
      program: new URL('../baselines/settings-put-baseline.ts', import.meta.url),
      baseline: 'node:http + one prepared UPDATE',
      goal: { atLeast: 0.5 },
      requests: each(everyFlow, put),
    },
  ]
}

/** Measures how many settings per second are read and written. */
export const measureSettings = async (context: Context): Promise<Findings> => {
  const { postgres, options } = context
  if (!postgres) return { comparisons: [], figures: [] }
  const baselineUrl = await postgres.databases.create('settings_baseline', postgres.template)
  const serverUrl = await postgres.databases.create('settings', postgres.template)
  const server = await startFlowpost({ DATABASE_URL: serverUrl, FLOWPOST_ROLE: 'api' }, options.profileDir)
  context.defer(server.stop)
  const comparisons: Comparison[] = []
  const figures: Figure[] = []
  for (const { id, title, program, baseline, goal, requests } of workloads(postgres)) {
    const bare = startProgram<Baseline>(program)
    context.defer(bare.stop)
    const port = await bare.call('start', { databaseUrl: baselineUrl, poolSize: baselinePoolSize })
    const baselineSide = saturated(context, { port, pid: bare.pid }, requests.baseline, `Bearer ${apiKey}`)
    const serverSide = saturated(context, server, requests.server, `Bearer ${apiKey}`)
    const sides = { baseline: baselineSide.perSecond, Flowpost: serverSide.perSecond }
    const measured = await interleave(options.rounds, sides, reportRounds(context, title))
    comparisons.push(compare({ id, title, unit: 'requests/s', baseline, subject: 'Flowpost', goal }, measured.baseline, measured.Flowpost))
    figures.push(...cpuFigures(title, baselineSide, serverSide))
    await bare.stop()
  }
  return { comparisons, figures }
}
