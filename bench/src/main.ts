import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type BenchOptions, readOptions, usage } from './options.ts'
import { createCleanup } from './processes/cleanup.ts'
import { results, withResults, withSection } from './report/page.ts'
import { plot } from './report/plot.ts'
import { sdkSection } from './report/sdk-table.ts'
import { type BenchResult, isMet } from './result.ts'
import { runBench } from './run.ts'
import { peerSdks } from './sdk/packages.ts'

const resultsFile = new URL('../results/latest.json', import.meta.url)
const plotFile = new URL('../results/latest.svg', import.meta.url)
const sdksFile = new URL('../results/sdks.json', import.meta.url)
const pageFile = new URL('../../docs/performance.md', import.meta.url)

const write = async ({ sdks: _, ...result }: BenchResult): Promise<void> => {
  await mkdir(new URL('.', resultsFile), { recursive: true })
  await writeFile(resultsFile, `${JSON.stringify(result, null, 2)}\n`)
  await writeFile(plotFile, plot(result.comparisons))
  await writeFile(pageFile, withResults(await readFile(pageFile, 'utf8'), result))
}

/**
 * Writes the comparison of the SDKs. Writes nothing if the run was short, measured only a sample of the groups, wrote CPU
 * profiles, or did not measure every SDK.
 */
const writeSdks = async ({ short, sample, profileDir }: BenchOptions, { sdks, startedAt, machine, rounds }: BenchResult): Promise<void> => {
  if (
    short ||
    sample !== undefined ||
    profileDir !== undefined ||
    !sdks ||
    peerSdks.some(({ name }) => !sdks.results.some((sdk) => sdk.name === name))
  )
    return
  const report = { startedAt, machine, rounds, ...sdks }
  await writeFile(sdksFile, `${JSON.stringify(report, null, 2)}\n`)
  await writeFile(pageFile, withSection(await readFile(pageFile, 'utf8'), 'sdks', sdkSection(report)))
}

/**
 * Returns whether a run may replace the stored results. It must have the full length, measure every group, use PostgreSQL
 * and Redis, and write no profiles.
 */
const isComplete = ({ short, only, sample, databaseUrl, profileDir }: BenchOptions, { machine }: BenchResult): boolean =>
  !short &&
  only === undefined &&
  sample === undefined &&
  databaseUrl !== undefined &&
  machine.redis !== undefined &&
  profileDir === undefined

const main = async (): Promise<void> => {
  const cleanup = createCleanup()
  // A second signal must not interrupt the cleanup, which drops databases.
  let ending: Promise<void> | undefined
  const end = (code: number) => {
    ending ??= cleanup.cleanUp().finally(() => process.exit(code))
    ending.catch(() => {})
  }
  process.on('SIGINT', () => end(130))
  process.on('SIGTERM', () => end(143))
  try {
    const options = readOptions(process.argv.slice(2), process.env)
    if (options.help) return console.log(usage)
    const result = await runBench(options, cleanup, (line) => console.error(line))
    console.log(`\n${results(result)}\n`)
    if (isComplete(options, result)) await write(result)
    await writeSdks(options, result)
    if ([...result.comparisons, ...result.figures].some((judged) => isMet(judged) === false)) process.exitCode = 1
  } finally {
    await cleanup.cleanUp()
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof TypeError ? `${error.message}\n\n${usage}` : error)
  process.exitCode = 1
})
