import { pathToFileURL } from 'node:url'
import type { RepeatJob } from '../load/repeat-calls.ts'
import { expose } from '../processes/rpc.ts'

/** The average cost of one call for the client. */
export interface CallCost {
  /** The CPU time of the process, divided by the number of calls, in microseconds. */
  readonly cpuUs: number
  /** The elapsed time of all calls, divided by the number of calls, in microseconds. */
  readonly wallUs: number
}

type Call = () => Promise<string>

let call: Call | undefined

const repeat = async (durationMs: number, concurrency: number, once: Call): Promise<number> => {
  const endMs = performance.now() + durationMs
  let count = 0
  const keepBusy = async () => {
    while (performance.now() < endMs) {
      await once()
      count += 1
    }
  }
  await Promise.all(Array.from({ length: concurrency }, keepBusy))
  return count
}

const program = {
  /** Loads a file from `callers/` and makes one call. @throws Error if the SDK does not return the created id. */
  load: async ({ file, baseUrl }: { file: string; baseUrl: string }) => {
    const { createCall } = (await import(pathToFileURL(file).href)) as { createCall: (baseUrl: string) => Call }
    call = createCall(baseUrl)
    const id = await call()
    if (id !== 'created_1') throw new Error(`${file} returned ${id}.`)
  },

  run: async ({ concurrency, warmUpMs, measuredMs }: RepeatJob): Promise<CallCost> => {
    if (!call) throw new Error('No caller is loaded.')
    await repeat(warmUpMs, concurrency, call)
    const cpuBefore = process.cpuUsage()
    const wallBefore = performance.now()
    const count = await repeat(measuredMs, concurrency, call)
    const { user, system } = process.cpuUsage(cpuBefore)
    return { cpuUs: (user + system) / count, wallUs: ((performance.now() - wallBefore) * 1000) / count }
  },
}

/** A program that calls one SDK repeatedly. Each SDK runs in a separate process. */
export type CallerProgram = typeof program

expose(program)
