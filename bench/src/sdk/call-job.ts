import type { RepeatJob } from '../load/repeat-calls.ts'

/** The arguments of the programs that read one flow repeatedly. */
export interface CallJob extends RepeatJob {
  readonly port: number
  readonly apiKey: string
  readonly projectId: string
  readonly flowId: string
}
