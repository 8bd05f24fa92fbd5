/** The duration and concurrency of repeated calls. */
export interface RepeatJob {
  /** The number of concurrent calls. */
  readonly concurrency: number
  readonly warmUpMs: number
  readonly measuredMs: number
}

/** Repeats a call. Returns how many calls per second finished in the measured time. Rejects if a call fails. */
export const repeatCalls = async (job: RepeatJob, call: () => Promise<unknown>): Promise<number> => {
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
