import { inspect } from 'node:util'
import { coverageOf, runConformance, type ScenarioResult, scenarios } from '../conformance/index.ts'
import { type ConformanceCommand, parseConformanceArguments } from './conformance-arguments.ts'
import { conformanceHelp } from './conformance-help.ts'
import { CommandError, runComparison } from './model-comparison.ts'

/** Formats a scenario's result. Returns no lines for a passed scenario. */
const resultLines = (result: ScenarioResult): string[] => {
  const { scenario, outcome } = result
  if (outcome === 'passed') return []
  if (outcome === 'skipped') return [`skipped  ${scenario.name} (requires ${result.requirement})`]
  const { message = String(result.error), cause } = result.error as Partial<Error>
  return [`FAILED   ${scenario.name}`, ...`${message}${cause ? `\n${String(cause)}` : ''}`.split('\n').map((line) => `         ${line}`)]
}

/** Formats the summary of all results. */
const summaryLine = (results: readonly ScenarioResult[]): string => {
  const count = (outcome: ScenarioResult['outcome']) => results.filter((result) => result.outcome === outcome).length
  return `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`
}

/** Lists the statuses of each operation, with the scenarios that cover a status or the reason why no scenario can cause it. */
const coverageLines = (): string[] =>
  coverageOf(scenarios).flatMap(({ operation, status, scenarios: names, exemption }) => {
    const prefix = `${operation} ${status}`.padEnd(32)
    if (exemption !== undefined) return [`${prefix} - ${exemption}`]
    return names.map((name) => `${prefix} ${name.replace(/^\S+ \d+: /, '')}`)
  })

/** The output of the program, line by line. */
export interface Output {
  print(line: string): void
  printError(line: string): void
}

const run = async (command: ConformanceCommand, { print }: Output): Promise<number> => {
  const printLines = (lines: readonly string[]) => {
    for (const line of lines) print(line)
  }
  if (command.kind === 'help') printLines([conformanceHelp])
  if (command.kind === 'list') printLines(coverageLines())
  if (command.kind === 'model') return runComparison(command.target, command.options, print)
  if (command.kind !== 'run') return 0
  const { target, only, timeoutMs } = command
  const chosen = scenarios.filter(({ name }) => only === undefined || only.test(name))
  const results = await runConformance(target, {
    scenarios: chosen,
    onResult: (result) => printLines(resultLines(result)),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  printLines([summaryLine(results)])
  return results.some(({ outcome }) => outcome === 'failed') || results.length === 0 ? 1 : 0
}

/** Runs `flowpost-conformance` and returns its exit code. */
export const runConformanceProgram = async (
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  output: Output,
): Promise<number> => {
  try {
    return await run(parseConformanceArguments(args, env), output)
  } catch (error) {
    const isUsage = error instanceof TypeError && error.cause === undefined
    output.printError(error instanceof CommandError ? error.message : isUsage ? `${error.message}\n\n${conformanceHelp}` : inspect(error))
    return 2
  }
}
