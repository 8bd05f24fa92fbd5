#!/usr/bin/env node
import { runConformance, scenarios } from '../conformance/index.ts'
import { type ConformanceCommand, conformanceHelp, readConformanceArguments } from './conformance-arguments.ts'
import { coverageLines, resultLines, summaryLine } from './conformance-report.ts'

const say = (lines: readonly string[]): void => {
  for (const line of lines) console.log(line)
}

const run = async (command: ConformanceCommand): Promise<number> => {
  if (command.kind === 'help') say([conformanceHelp])
  if (command.kind === 'list') say(coverageLines())
  if (command.kind !== 'run') return 0
  const { target, only } = command
  const chosen = scenarios.filter(({ name }) => only === undefined || only.test(name))
  const results = await runConformance(target, { scenarios: chosen, onResult: (result) => say(resultLines(result)) })
  say([summaryLine(results)])
  return results.some(({ outcome }) => outcome === 'failed') || results.length === 0 ? 1 : 0
}

try {
  process.exitCode = await run(readConformanceArguments(process.argv.slice(2), process.env))
} catch (error) {
  console.error(error instanceof TypeError ? `${error.message}\n\n${conformanceHelp}` : error)
  process.exitCode = 2
}
