/** The maximum CPU time for processing one input, in milliseconds on the reference machine. Other requests wait meanwhile. */
export const maxCpuMs = 50

const maxTries = 5
// The kernel counts CPU time in ticks of several milliseconds.
const minSampleMs = 60

/** Returns the CPU time that this thread spends on one run of `work`, in milliseconds. Excludes time in which other processes run. */
const cpuMs = (work: () => unknown): number => {
  const startedMs = performance.now()
  const startedAt = process.threadCpuUsage()
  let runs = 0
  for (; runs === 0 || performance.now() - startedMs < minSampleMs; runs += 1) work()
  const { user, system } = process.threadCpuUsage(startedAt)
  return (user + system) / 1_000 / runs
}

const shortest = (work: () => unknown, enoughMs: number): number => {
  let result = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < maxTries && result >= enoughMs; tries += 1) result = Math.min(result, cpuMs(work))
  return result
}

/** Does work that takes about 10 ms on the reference machine. */
const reference = (): string =>
  Array.from({ length: 100_000 }, (_, index) => `${index}`)
    .join('')
    .replace(/1/g, () => '')

let slowness: number | undefined

/**
 * Returns the CPU time that `work` takes, in milliseconds on the reference machine. Timing {@link reference} shows how
 * much slower this machine is. The shortest of a few tries counts, because the compiler and the garbage collector slow
 * down the others.
 */
export const cpuTimeOf = (work: () => unknown): number => {
  const startedMs = performance.now()
  work()
  const elapsedMs = performance.now() - startedMs
  // CPU time cannot exceed elapsed time, so fast work needs no closer measurement.
  if (elapsedMs < maxCpuMs) return elapsedMs
  slowness ??= Math.max(1, shortest(reference, 0) / 10)
  return shortest(work, maxCpuMs * slowness) / slowness
}
