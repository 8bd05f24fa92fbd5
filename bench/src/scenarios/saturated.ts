import type { LoadRequest, LoadResult } from '../load/load-job.ts'
import { cpuMs } from '../processes/cpu-time.ts'
import type { Figure } from '../result.ts'
import { quantile } from '../statistics.ts'
import { type Context, clientConnections } from './context.ts'

/** A load test that puts one server under maximum load. */
export interface Saturated {
  /** Runs the load test once, over {@link clientConnections} connections by default. */
  run(connections?: number): Promise<LoadResult>
  /** Runs the load test once. Returns the number of requests per second. */
  perSecond(): Promise<number>
  /** Returns the median CPU time per request in microseconds, or an empty list if the system does not report CPU times. */
  cpuFigure(title: string): Figure[]
}

/** Returns a load test of a server. Each run resumes the list of `requests` where the previous run stopped. */
export const saturated = (
  context: Context,
  server: { readonly port: number; readonly pid: number },
  requests: readonly LoadRequest[],
  authorization?: string,
): Saturated => {
  const cpuUs: number[] = []
  let from = 0
  const run = async (connections = clientConnections): Promise<LoadResult> => {
    const before = await cpuMs(server.pid)
    const { warmUpMs, measuredMs } = context.options
    const credential = authorization === undefined ? {} : { authorization }
    const job = { port: server.port, ...credential, connections, requests, from, warmUpMs, measuredMs }
    const result = await context.load.call('saturate', job)
    const after = await cpuMs(server.pid)
    if (before !== undefined && after !== undefined) cpuUs.push(((after - before) * 1000) / (result.next - from))
    from = result.next
    return result
  }
  return {
    run,
    perSecond: async () => (await run()).perSecond,
    // The first run warms up the JIT compiler.
    cpuFigure: (title) => (cpuUs.length > 1 ? [{ title, unit: 'µs', value: quantile(cpuUs.slice(1), 0.5) }] : []),
  }
}

/** Returns the CPU figures of both sides of a comparison. */
export const cpuFigures = (title: string, baseline: Saturated, subject: Saturated): Figure[] => [
  ...baseline.cpuFigure(`CPU time per operation: ${title}, baseline`),
  ...subject.cpuFigure(`CPU time per operation: ${title}, Flowpost`),
]
