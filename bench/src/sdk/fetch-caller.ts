import { offer } from '../processes/calls.ts'
import { type CallJob, repeatCalls } from './repeat-calls.ts'

const program = {
  run: (job: CallJob) => {
    const url = `http://127.0.0.1:${job.port}/v1/settings/projects/${job.projectId}/flows/${job.flowId}`
    const headers = { Authorization: `Bearer ${job.apiKey}` }
    return repeatCalls(job, async () => {
      const response = await fetch(url, { headers })
      if (!response.ok) throw new Error(`The answer was ${response.status}.`)
      return await response.json()
    })
  },
}

/** Reads a flow with bare `fetch`: the baseline of the SDK. */
export type FetchCaller = typeof program

offer(program)
