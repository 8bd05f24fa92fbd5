import { mutants } from './catalog/index.ts'
import { allChecks } from './checks.ts'
import { createDeployments } from './deployments/deployments.ts'
import { kindOf } from './mutant.ts'
import { readOptions, usage } from './options.ts'
import { isSuccess, resultLine, summaryLines } from './report.ts'
import { runMutants } from './run-mutants.ts'
import { selectMutants } from './select-mutants.ts'

// Long enough for every scenario, and short enough to stop a scenario that waits for a response that never comes.
const checkTimeoutMs = 120_000

const main = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2))
  if (options.help) return console.log(usage)
  const selected = selectMutants(mutants, options)
  if (selected.length === 0) throw new TypeError('--only matches no mutant.')
  if (options.list) {
    for (const mutant of selected) console.log(`${kindOf(mutant).padEnd(6)}  ${mutant.name}  (${mutant.file})`)
    return
  }
  await using deployments = createDeployments()
  // Removes the servers' data folders even after a signal. If the folders are in `/dev/shm`, they would otherwise take up memory
  // until the machine restarts.
  const end = (code: number) => void Promise.resolve(deployments[Symbol.asyncDispose]()).finally(() => process.exit(code))
  process.once('SIGINT', () => end(130))
  process.once('SIGTERM', () => end(143))
  const startedMs = performance.now()
  const results = await runMutants({
    mutants: selected,
    checks: allChecks,
    createProgram: deployments.create,
    jobs: options.jobs,
    checkTimeoutMs,
    onResult: (result) => console.log(resultLine(result, options.verbose)),
  })
  console.log('')
  for (const line of summaryLines(results, performance.now() - startedMs)) console.log(line)
  if (!isSuccess(results)) process.exitCode = 1
}

main().catch((error: unknown) => {
  console.error(error instanceof TypeError ? `${error.message}\n\n${usage}` : error)
  process.exitCode = 1
})
