import { coverageOf, type ScenarioResult, scenarios } from '../conformance/index.ts'

/** What is shown of a scenario that is over; nothing of one that passed. */
export const resultLines = (result: ScenarioResult): string[] => {
  const { scenario, outcome } = result
  if (outcome === 'passed') return []
  if (outcome === 'skipped') return [`skipped  ${scenario.name} (needs ${result.need})`]
  const { message = String(result.error), cause } = result.error as Partial<Error>
  return [`FAILED   ${scenario.name}`, ...`${message}${cause ? `\n${String(cause)}` : ''}`.split('\n').map((line) => `         ${line}`)]
}

/** The last line. */
export const summaryLine = (results: readonly ScenarioResult[]): string => {
  const count = (outcome: ScenarioResult['outcome']) => results.filter((result) => result.outcome === outcome).length
  return `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`
}

/** Which scenario covers which operation and status. */
export const coverageLines = (): string[] =>
  coverageOf(scenarios).flatMap(({ operation, status, scenarios: names, excuse }) => {
    const head = `${operation} ${status}`.padEnd(32)
    if (excuse !== undefined) return [`${head} - ${excuse}`]
    return names.map((name) => `${head} ${name.replace(/^\S+ \d+: /, '')}`)
  })
