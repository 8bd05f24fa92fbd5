import { startProgram } from '../processes/start-program.ts'
import { interleave, type Measure } from '../rounds.ts'
import type { CallCost, CallerProgram } from '../sdk/caller-program.ts'
import { type InstalledSdk, installSdk } from '../sdk/install.ts'
import { bareFetch, flowpost, peerSdks } from '../sdk/packages.ts'
import { type SdkResult, sdkComparisons } from '../sdk/sdk-result.ts'
import { bundleBytes, importMs, installedMebibytes } from '../sdk/sizes.ts'
import type { StubServer } from '../sdk/stub-server.ts'
import { mean } from '../statistics.ts'
import type { Context, Findings } from './context.ts'

// Each SDK is measured for a third of the configured time, because there are many SDKs to compare.
const shareOfTime = 1 / 3
const concurrentCalls = 50
// The cost of the same code differs by several percent between processes, because V8 compiles it differently in each. Each
// SDK therefore runs in several processes, and its cost is the average of all of them.
const processesPerSdk = 3

const install = async ({ options, print }: Context): Promise<InstalledSdk[]> => {
  const own = [await installSdk(bareFetch), await installSdk(flowpost)]
  // A short run must also work without the npm registry.
  if (options.short) return own
  try {
    const peers: InstalledSdk[] = []
    for (const sdk of peerSdks) peers.push(await installSdk(sdk))
    return [...own, ...peers]
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    print(`The other SDKs cannot be installed (${reason}). Skipping the comparison with them.`)
    return own
  }
}

const startCaller = async ({ defer }: Context, { caller }: InstalledSdk, baseUrl: string) => {
  const program = startProgram<CallerProgram>(new URL('../sdk/caller-program.ts', import.meta.url))
  defer(program.stop)
  await program.call('load', { file: caller, baseUrl })
  return program
}

/**
 * Measures each SDK: a call to a server with fixed responses, the size of the SDK, and the duration of its import. In a short
 * run, or if the registry is not available, measures only Flowpost's SDK and bare `fetch`.
 */
export const measureSdkPeers = async (context: Context): Promise<Findings> => {
  const { options, defer, print } = context
  const sdks = await install(context)
  const server = startProgram<StubServer>(new URL('../sdk/stub-server.ts', import.meta.url))
  defer(server.stop)
  const baseUrl = `http://127.0.0.1:${await server.call('start')}`

  const measuredMs = options.measuredMs * shareOfTime
  const job = { warmUpMs: options.warmUpMs * shareOfTime, measuredMs: measuredMs / processesPerSdk }
  const sides: Record<string, Measure<CallCost>> = {}
  for (const sdk of sdks) {
    const programs: Awaited<ReturnType<typeof startCaller>>[] = []
    while (programs.length < processesPerSdk) programs.push(await startCaller(context, sdk, baseUrl))
    const measure = (concurrency: number) => async () => {
      const costs: CallCost[] = []
      for (const program of programs) costs.push(await program.call('run', { ...job, concurrency }))
      return { cpuUs: mean(costs.map(({ cpuUs }) => cpuUs)), wallUs: mean(costs.map(({ wallUs }) => wallUs)) }
    }
    sides[`${sdk.name}, oneAtATime`] = measure(1)
    sides[`${sdk.name}, concurrent`] = measure(concurrentCalls)
  }
  const calls = await interleave(options.rounds, sides, (round) =>
    print(`SDKs, ${round === 0 ? 'warm-up' : `round ${round} of ${options.rounds}`}`),
  )
  const imports = await interleave(options.rounds, Object.fromEntries(sdks.map((sdk) => [sdk.name, () => importMs(sdk)])))

  const costsOf = (side: string) => {
    const costs = calls[side] ?? []
    return { cpuUs: costs.map(({ cpuUs }) => cpuUs), wallUs: costs.map(({ wallUs }) => wallUs) }
  }
  const results: SdkResult[] = []
  for (const sdk of sdks)
    results.push({
      name: sdk.name,
      version: sdk.installedVersion,
      transport: sdk.transport,
      oneAtATime: costsOf(`${sdk.name}, oneAtATime`),
      concurrent: costsOf(`${sdk.name}, concurrent`),
      bundleBytes: await bundleBytes(sdk),
      installedMebibytes: installedMebibytes(sdk),
      importMs: imports[sdk.name] ?? [],
    })
  return { comparisons: sdkComparisons(results), figures: [], sdks: { measuredMs, results } }
}
