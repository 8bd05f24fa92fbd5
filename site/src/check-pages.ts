import { globSync, readFileSync } from 'node:fs'
import { addressOf } from './check-links.ts'

/**
 * Returns the mistakes in the pages of a built site, as `<page>: <mistake>`: code that shows no text, which Vue may have evaluated
 * as an expression, and titles that another page has too.
 */
export const findPageIssues = (folder: string): string[] => {
  const pageByTitle = new Map<string, string>()
  return globSync('**/*.html', { cwd: folder })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
    .flatMap((file) => {
      const address = addressOf(file)
      const html = readFileSync(`${folder}/${file}`, 'utf8')
      const title = /<title>([^<]*)<\/title>/.exec(html)?.[1] ?? ''
      const namesake = pageByTitle.get(title)
      pageByTitle.set(title, address)
      return [
        ...(/<code\b[^>]*>\s*<\/code>/.test(html) ? [`${address}: an empty <code> element`] : []),
        ...(namesake === undefined ? [] : [`${address}: the title "${title}" of ${namesake}`]),
      ]
    })
}
