import type { BenchResult } from '../result.ts'
import { circumstances, comparisonTable, figureTable } from './table.ts'

/** The sections of the page that commands write. */
const sections = {
  results: 'pnpm bench',
  sizes: 'pnpm bench:scale',
  churn: 'pnpm bench:scale --churn',
} as const

/** Everything that a run found, as Markdown. */
export const results = (result: BenchResult): string =>
  [
    circumstances(result),
    ...(result.comparisons.length > 0 ? [comparisonTable(result.comparisons)] : []),
    ...(result.figures.length > 0 ? [figureTable(result.figures)] : []),
  ].join('\n\n')

/**
 * Replaces a section of a page.
 * @throws Error when the page has no place for it.
 */
export const withSection = (page: string, section: keyof typeof sections, text: string): string => {
  const begin = `<!-- ${section}: written by \`${sections[section]}\`, do not edit -->`
  const end = `<!-- end of ${section} -->`
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`The page has no lines ${begin} and ${end}.`)
  return `${page.slice(0, from)}${begin}\n\n${text}\n\n${page.slice(to)}`
}

/**
 * Replaces what a page says of the last run.
 * @throws Error when the page has no place for it.
 */
export const withResults = (page: string, result: BenchResult): string => withSection(page, 'results', results(result))
