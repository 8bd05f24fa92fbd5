import { type Comparison, compare } from '../result.ts'
import { paired, type Spread, spreadOf } from '../statistics.ts'
import { bareFetch, flowpost, type Sdk } from './packages.ts'

/** The cost of a call in each round, in microseconds. */
export interface CallCosts {
  readonly cpuUs: readonly number[]
  readonly wallUs: readonly number[]
}

/** The measurements of one SDK. */
export interface SdkResult extends Pick<Sdk, 'name' | 'transport'> {
  readonly version: string
  readonly oneAtATime: CallCosts
  readonly concurrent: CallCosts
  /** The size of the SDK and its file in `callers/`, bundled, minified and gzipped. */
  readonly bundleBytes: number
  readonly installedMebibytes: number
  /** The duration of the SDK's import in a new process in each round, in milliseconds. */
  readonly importMs: readonly number[]
}

/** The measurements of all SDKs. */
export interface SdkMeasurements {
  /** The duration of each measurement, in milliseconds. */
  readonly measuredMs: number
  readonly results: readonly SdkResult[]
}

type Load = 'oneAtATime' | 'concurrent'

const ratio = (baseline: number, subject: number) => subject / baseline

/** Divides an SDK's cost in each round by the baseline's cost in the same round. Returns the spread of these ratios. */
export const ratioOf = (subject: SdkResult, baseline: SdkResult, load: Load, cost: keyof CallCosts): Spread =>
  spreadOf(paired(baseline[load][cost], subject[load][cost], ratio))

/** Returns the results of an SDK. @throws Error if the SDK was not measured. */
export const resultOf = (sdks: readonly SdkResult[], { name }: Sdk): SdkResult => {
  const found = sdks.find((sdk) => sdk.name === name)
  if (!found) throw new Error(`${name} was not measured.`)
  return found
}

/** Compares the CPU time per call of Flowpost's SDK with bare `fetch`, and with the fastest other SDK that uses `fetch`. */
export const sdkComparisons = (sdks: readonly SdkResult[]): Comparison[] => {
  const fetch = resultOf(sdks, bareFetch)
  const subject = resultOf(sdks, flowpost)
  const peers = sdks.filter((sdk) => sdk !== fetch && sdk !== subject && sdk.transport === 'fetch')
  return (['oneAtATime', 'concurrent'] as const).flatMap((load) => {
    const title = `CPU time of a call that creates something, ${load === 'concurrent' ? '50 at once' : 'one at a time'}`
    const head = { title, unit: 'µs', subject: 'SDK' }
    const fastest = peers.toSorted((a, b) => spreadOf(a[load].cpuUs).median - spreadOf(b[load].cpuUs).median)[0]
    return [
      compare({ ...head, id: `sdk-cpu-${load}`, baseline: 'bare fetch', goal: { atMost: 1.1 } }, fetch[load].cpuUs, subject[load].cpuUs),
      ...(fastest
        ? [
            compare(
              {
                ...head,
                id: `sdk-cpu-${load}-peer`,
                baseline: `${fastest.name}, the fastest other SDK that uses fetch`,
                goal: { atMost: 1 },
              },
              fastest[load].cpuUs,
              subject[load].cpuUs,
            ),
          ]
        : []),
    ]
  })
}
