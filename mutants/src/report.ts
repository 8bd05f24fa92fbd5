import { kindOf } from './mutant.ts'
import type { MutantResult } from './run-mutants.ts'

const maxReasonCharacters = 300

const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ')
  return line.length > maxReasonCharacters ? `${line.slice(0, maxReasonCharacters)}…` : line
}

const details = ({ mutant, verdict }: MutantResult): string => {
  if (verdict.outcome === 'killed') return verdict.isExpected ? verdict.by : `${verdict.by} (does not match its killedBy)`
  if (verdict.outcome === 'invalid') return shorten(verdict.reason)
  return `no check failed; changed file: ${mutant.file}`
}

/** Formats the result of a mutant as one line. With `withReason`, it includes why the check failed. */
export const resultLine = (result: MutantResult, withReason = false): string => {
  const { mutant, verdict, durationMs } = result
  const outcome = verdict.outcome === 'survived' ? 'SURVIVED' : verdict.outcome === 'invalid' ? 'INVALID' : 'killed'
  const reason = withReason && verdict.outcome === 'killed' ? `\n            ${shorten(verdict.reason)}` : ''
  return `${outcome.padEnd(8)} ${(durationMs / 1000).toFixed(1).padStart(6)} s  ${kindOf(mutant).padEnd(6)}  ${mutant.name} <- ${details(result)}${reason}`
}

const countOf = (results: readonly MutantResult[], outcome: MutantResult['verdict']['outcome']): number =>
  results.filter(({ verdict }) => verdict.outcome === outcome).length

/** Formats the summary of a run: a line for each mutant that was not killed, then the totals. */
export const summaryLines = (results: readonly MutantResult[], durationMs: number): string[] => {
  const kinds = (['server', 'mock'] as const).map((kind) => `${results.filter(({ mutant }) => kindOf(mutant) === kind).length} ${kind}`)
  const counts = `${countOf(results, 'killed')} killed, ${countOf(results, 'survived')} survived, ${countOf(results, 'invalid')} invalid`
  return [
    ...results.filter(({ verdict }) => verdict.outcome !== 'killed').map((result) => resultLine(result)),
    `${results.length} mutants (${kinds.join(', ')}): ${counts}; ${Math.round(durationMs / 1000)} s`,
  ]
}

/** Returns whether the suite detected every mutant. */
export const isSuccess = (results: readonly MutantResult[]): boolean => results.every(({ verdict }) => verdict.outcome === 'killed')
