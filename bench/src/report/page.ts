import type { BenchResult } from '../result.ts'
import { comparisonTable, figureTable, measurementConditions } from './table.ts'

/** The generated sections of `docs/performance.md`, each with the command that writes it. */
const sections = {
  results: 'pnpm bench',
  sizes: 'pnpm bench:scale',
  migrations: 'pnpm bench:scale --migrate',
  churn: 'pnpm bench:scale --churn',
  sdks: 'pnpm bench --only sdk',
} as const

/** Formats the results of a run as Markdown. */
export const results = (result: BenchResult): string =>
  [
    measurementConditions(result),
    ...(result.comparisons.length > 0 ? [comparisonTable(result.comparisons)] : []),
    ...(result.figures.length > 0 ? [figureTable(result.figures)] : []),
  ].join('\n\n')

/**
 * Replaces a generated section of a page.
 * @throws Error if the page has no markers for the section.
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
 * Replaces the results in a page.
 * @throws Error if the page has no markers for the section.
 */
export const withResults = (page: string, result: BenchResult): string => withSection(page, 'results', results(result))
