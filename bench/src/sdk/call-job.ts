import type { RepeatJob } from '../load/repeat-calls.ts'

/** The arguments of a program that reads one flow repeatedly. */
export interface CallJob extends RepeatJob {
  readonly port: number
  readonly apiKey: string
  readonly projectId: string
  readonly flowId: string
}
