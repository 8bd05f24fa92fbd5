import { repeatCalls } from '../load/repeat-calls.ts'
import { expose } from '../processes/rpc.ts'
import type { CallJob } from './call-job.ts'

const program = {
  run: (job: CallJob) => {
    const url = `http://127.0.0.1:${job.port}/v1/settings/projects/${job.projectId}/flows/${job.flowId}`
    const headers = { Authorization: `Bearer ${job.apiKey}` }
    return repeatCalls(job, async () => {
      const response = await fetch(url, { headers })
      if (!response.ok) throw new Error(`The server returned ${response.status}.`)
      return await response.json()
    })
  },
}

/** A program that reads a flow with bare `fetch`, as the baseline for the SDK. */
export type FetchCaller = typeof program

expose(program)
