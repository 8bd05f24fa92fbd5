import { readFile, writeFile } from 'node:fs/promises'
import { type BenchDatabases, openBenchDatabases, urlOf } from '../database/bench-databases.ts'
import type { LoadGenerator } from '../load/load-generator.ts'
import { createCleanup } from '../processes/cleanup.ts'
import { startProgram } from '../processes/start-program.ts'
import { withSection } from '../report/page.ts'
import { type Comparison, isMet } from '../result.ts'
import { describeMachine } from '../run.ts'
import type { Context } from '../scenarios/context.ts'
import { simulateChurn } from './churn.ts'
import { compareSizes } from './compare-sizes.ts'
import { explainAll } from './explain.ts'
import { addOwnNewest, fillOwnProjects, fillWhole, type Size } from './fill.ts'
import { measureMigrations } from './migrations/measure-migrations.ts'
import { areShort, migrationsSection } from './migrations/migrations-section.ts'
import { readScaleOptions, type ScaleOptions, usage } from './options.ts'
import { churnSection, sizesSection } from './sections.ts'
import { seedSide, startSide } from './side.ts'
import { statementsOf } from './statements.ts'

// Runs `pnpm bench:scale`: compares the server on a full and on an almost empty database, measures migrations, or simulates a day
// and a half of table growth.

const pageFile = new URL('../../../docs/performance.md', import.meta.url)
/** The results are written to `docs/performance.md` only if the database has at least this size. */
const fullSize = { projects: 1_000_000, notifications: 10_000_000 }
const fullChurn = 1_000_000
const churnProjects = 1_000
const warmUpMs = 300

const { defer, cleanUp } = createCleanup()
const print = (line: string) => console.error(line)

const write = async (section: 'sizes' | 'churn' | 'migrations', text: string): Promise<void> =>
  writeFile(pageFile, withSection(await readFile(pageFile, 'utf8'), section, text))

/** Fills a database, or returns one that was filled before. */
const fullDatabase = async ({ databaseUrl, filled, keep, size }: ScaleOptions, databases: BenchDatabases): Promise<string> => {
  if (filled !== undefined) return urlOf(databaseUrl, filled)
  const url = await databases.create('scale_full', undefined, keep)
  if (keep) print(`Full database: ${new URL(url).pathname.slice(1)}`)
  await seedSide(url)
  await fillWhole(url, size, print)
  await addOwnNewest(url, size)
  return url
}

const measureSides = async ({ rounds, measuredMs }: ScaleOptions, emptyUrl: string, fullUrl: string): Promise<Comparison[]> => {
  const load = startProgram<LoadGenerator>(new URL('../load/load-generator.ts', import.meta.url))
  defer(load.stop)
  const context: Context = { options: { rounds, measuredMs, warmUpMs } as Context['options'], load, postgres: undefined, defer, print }
  return compareSizes(context, { empty: await startSide(context, emptyUrl), full: await startSide(context, fullUrl) })
}

const isFull = ({ projects, notifications }: Size): boolean => projects >= fullSize.projects && notifications >= fullSize.notifications

const runMigrations = async (options: ScaleOptions, databases: BenchDatabases): Promise<void> => {
  const startedAt = new Date().toISOString()
  const machine = { ...describeMachine(), postgres: databases.version }
  const times = await measureMigrations(await fullDatabase(options, databases), print)
  const text = migrationsSection(times, options.size, { startedAt, machine })
  console.log(text)
  if (isFull(options.size)) await write('migrations', text)
  if (!areShort(times)) process.exitCode = 1
}

const runSizes = async (options: ScaleOptions, databases: BenchDatabases): Promise<void> => {
  const { size, rounds, measuredMs } = options
  const startedAt = new Date().toISOString()
  const fullUrl = await fullDatabase(options, databases)
  const emptyUrl = await databases.create('scale_empty')
  await seedSide(emptyUrl)
  await fillOwnProjects(emptyUrl, size)
  await addOwnNewest(emptyUrl, size)

  const plans = {
    empty: await explainAll(emptyUrl, await statementsOf(emptyUrl)),
    full: await explainAll(fullUrl, await statementsOf(fullUrl)),
  }
  for (const { title, lines } of plans.full) console.log([title, ...lines.map((line) => `    ${line}`), ''].join('\n'))
  const comparisons = options.plans ? [] : await measureSides(options, emptyUrl, fullUrl)
  const machine = { ...describeMachine(), postgres: databases.version }
  const text = sizesSection({ startedAt, machine, rounds, measuredMs, comparisons, figures: [] }, size, plans)
  console.log(text)
  if (!options.plans && isFull(size)) await write('sizes', text)
  if (comparisons.some((comparison) => isMet(comparison) === false)) process.exitCode = 1
}

const runChurn = async (notifications: number, databases: BenchDatabases): Promise<void> => {
  const startedAt = new Date().toISOString()
  const url = await databases.create('churn')
  await seedSide(url)
  await fillWhole(url, { projects: churnProjects, notifications: 0 }, print)
  const churn = await simulateChurn(url, notifications, print)
  const text = churnSection(churn, { startedAt, machine: { ...describeMachine(), postgres: databases.version } })
  console.log(text)
  if (notifications >= fullChurn) await write('churn', text)
}

const main = async (): Promise<void> => {
  const options = readScaleOptions(process.argv.slice(2), process.env)
  if (options.help) return console.log(usage)
  const databases = await openBenchDatabases(options.databaseUrl)
  defer(databases.dropAll)
  if (options.churn !== undefined) return runChurn(options.churn, databases)
  await (options.migrate ? runMigrations : runSizes)(options, databases)
}

process.on('SIGINT', () => void cleanUp().finally(() => process.exit(130)))
main()
  .catch((error: unknown) => {
    console.error(error instanceof TypeError ? `${error.message}\n\n${usage}` : error)
    process.exitCode = 1
  })
  .finally(cleanUp)
