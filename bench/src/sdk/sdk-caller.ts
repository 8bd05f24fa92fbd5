import { createFlowpost } from '@flowpost/client'
import { repeatCalls } from '../load/repeat-calls.ts'
import { expose } from '../processes/rpc.ts'
import type { CallJob } from './call-job.ts'

const program = {
  run: async (job: CallJob) => {
    await using flowpost = createFlowpost({ baseUrl: `http://127.0.0.1:${job.port}`, apiKey: job.apiKey })
    return await repeatCalls(job, () => flowpost.flows.get(job.projectId, job.flowId))
  },
}

/** A program that reads a flow through the SDK. */
export type SdkCaller = typeof program

expose(program)
