/** How calls are repeated. */
export interface CallJob {
  readonly port: number
  readonly apiKey: string
  readonly projectId: string
  readonly flowId: string
  /** Calls at a time. */
  readonly concurrency: number
  readonly warmUpMs: number
  readonly measuredMs: number
}

/** Makes a call again and again and tells how many a second ended in the counted time. Rejects when one fails. */
export const repeatCalls = async (job: CallJob, call: () => Promise<unknown>): Promise<number> => {
  const countFromMs = performance.now() + job.warmUpMs
  const endMs = countFromMs + job.measuredMs
  let count = 0
  const keepBusy = async () => {
    for (let nowMs = performance.now(); nowMs < endMs; nowMs = performance.now()) {
      await call()
      const doneMs = performance.now()
      if (doneMs >= countFromMs && doneMs < endMs) count += 1
    }
  }
  await Promise.all(Array.from({ length: job.concurrency }, keepBusy))
  return (count * 1000) / job.measuredMs
}
