import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedProject } from '../database/seed-projects.ts'
import { apiKey, startFlowpost } from '../processes/flowpost-server.ts'
import { startProgram } from '../processes/start-program.ts'
import { compare } from '../result.ts'
import { interleave } from '../rounds.ts'
import type { CannedResponse } from '../sdk/canned-response.ts'
import type { FetchCaller } from '../sdk/fetch-caller.ts'
import type { SdkCaller } from '../sdk/sdk-caller.ts'
import { type Context, clientConnections, type Findings, reportRounds } from './context.ts'
import { measureSdkPeers } from './sdk-peers.ts'

const databaseOf = async ({ postgres, defer }: Context): Promise<Record<string, string>> => {
  if (postgres) return { DATABASE_URL: await postgres.databases.create('sdk', postgres.template), FLOWPOST_ROLE: 'api' }
  const folder = await mkdtemp(join(tmpdir(), 'flowpost-bench-'))
  defer(() => rm(folder, { recursive: true }))
  return { FLOWPOST_DATA_DIR: folder }
}

/**
 * Measures how many calls per second the SDK and bare `fetch` make to a Flowpost server, and how many they make to a server
 * with a fixed response. Then compares the SDK with other SDKs.
 */
export const measureSdk = async (context: Context): Promise<Findings> => {
  const { options, defer } = context
  const server = await startFlowpost(await databaseOf(context))
  defer(server.stop)
  const project = await seedProject(server.port, 'called', 1)
  const flowId = project.flows[0]?.id ?? ''
  const headers = { Authorization: `Bearer ${apiKey}` }
  const response = await fetch(`http://127.0.0.1:${server.port}/v1/settings/projects/${project.id}/flows/${flowId}`, { headers })
  const canned = startProgram<CannedResponse>(new URL('../sdk/canned-response.ts', import.meta.url))
  defer(canned.stop)
  const cannedPort = await canned.call('start', { body: await response.text() })
  const bare = startProgram<FetchCaller>(new URL('../sdk/fetch-caller.ts', import.meta.url))
  defer(bare.stop)
  const sdk = startProgram<SdkCaller>(new URL('../sdk/sdk-caller.ts', import.meta.url))
  defer(sdk.stop)

  const { warmUpMs, measuredMs } = options
  const job = (port: number) => ({ port, apiKey, projectId: project.id, flowId, concurrency: clientConnections, warmUpMs, measuredMs })
  const sides = {
    fetch: () => bare.call('run', job(server.port)),
    SDK: () => sdk.call('run', job(server.port)),
    'fetch, canned': () => bare.call('run', job(cannedPort)),
    'SDK, canned': () => sdk.call('run', job(cannedPort)),
  }
  const measured = await interleave(options.rounds, sides, reportRounds(context, 'calls/s'))
  const head = { unit: 'calls/s', baseline: 'bare fetch', subject: 'SDK' }
  const peers = await measureSdkPeers(context)
  return {
    ...peers,
    comparisons: [
      compare({ ...head, id: 'sdk', title: 'SDK calls', goal: { atLeast: 0.9 } }, measured.fetch, measured.SDK),
      compare(
        { ...head, id: 'sdk-canned', title: 'SDK calls to a server with a fixed response' },
        measured['fetch, canned'],
        measured['SDK, canned'],
      ),
      ...peers.comparisons,
    ],
  }
}
