import type { BenchResult } from '../result.ts'
import { circumstances, comparisonTable, figureTable } from './table.ts'

const begin = '<!-- results: written by `pnpm bench`, do not edit -->'
const end = '<!-- end of results -->'

/** Everything that a run found, as Markdown. */
export const results = (result: BenchResult): string =>
  [
    circumstances(result),
    ...(result.comparisons.length > 0 ? [comparisonTable(result.comparisons)] : []),
    ...(result.figures.length > 0 ? [figureTable(result.figures)] : []),
  ].join('\n\n')

/**
 * Replaces what a page says of the last run.
 * @throws Error when the page has no place for it.
 */
export const withResults = (page: string, result: BenchResult): string => {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`The page has no lines ${begin} and ${end}.`)
  return `${page.slice(0, from)}${begin}\n\n${results(result)}\n\n${page.slice(to)}`
}
