import { createFlowpost } from '@flowpost/client'
import { offer } from '../processes/calls.ts'
import { type CallJob, repeatCalls } from './repeat-calls.ts'

const program = {
  run: async (job: CallJob) => {
    await using flowpost = createFlowpost({ baseUrl: `http://127.0.0.1:${job.port}`, apiKey: job.apiKey })
    return await repeatCalls(job, () => flowpost.flows.get(job.projectId, job.flowId))
  },
}

/** Reads a flow through the SDK. */
export type SdkCaller = typeof program

offer(program)
