/** The most CPU time that one input may take from all other requests, in milliseconds of a machine that is fast enough. */
export const maxCpuMs = 50

const maxTries = 5
// The kernel counts CPU time in ticks of some milliseconds.
const minSampleMs = 60

/** Returns the CPU time that this thread spends on one run of `work`: time in which other processes run does not count. */
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

/** Work that takes about 10 ms on a machine that is fast enough. */
const reference = (): string =>
  Array.from({ length: 100_000 }, (_, index) => `${index}`)
    .join('')
    .replace(/1/g, () => '')

let slowness: number | undefined

/**
 * Returns how much CPU time `work` takes, in milliseconds of a machine that is fast enough: work of a known length tells how
 * much slower this one is. The shortest of a few tries counts, since the compiler and the garbage collector take part.
 */
export const cpuTimeOf = (work: () => unknown): number => {
  const startedMs = performance.now()
  work()
  const elapsedMs = performance.now() - startedMs
  // Work takes no more CPU time than time.
  if (elapsedMs < maxCpuMs) return elapsedMs
  slowness ??= Math.max(1, shortest(reference, 0) / 10)
  return shortest(work, maxCpuMs * slowness) / slowness
}
