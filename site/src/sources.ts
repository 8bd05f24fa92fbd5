import { globSync } from 'node:fs'
import { configurationSource } from './reference/environment.ts'
import { repositoryRoot } from './repository.ts'

/** The source files of pages with a fixed address, keyed by that address. {@link sourceFiles} adds the other pages in `docs`. */
const fixedSources: Readonly<Record<string, string>> = {
  '/': 'site/pages/index.md',
  '/get-started': 'docs/get-started.md',
  '/comparison': 'docs/comparison.md',
  '/guides/receipts': 'docs/receipts.md',
  '/guides/privacy': 'docs/privacy.md',
  '/operate/production': 'docs/operations.md',
  '/operate/performance': 'docs/performance.md',
  '/operate/high-availability': 'ops/ha/README.md',
  '/operate/benchmarks': 'bench/README.md',
  '/reference/events': 'docs/events.md',
  '/reference/sdk': 'packages/client/README.md',
  '/reference/sdk-methods': 'packages/client/docs/reference.md',
  '/reference/sdk-errors': 'packages/client/docs/errors-and-retries.md',
  '/reference/sdk-versions': 'packages/client/docs/versioning.md',
  '/reference/testing': 'packages/testing/README.md',
  '/reference/delivery': 'packages/delivery/README.md',
  '/reference/cli': 'packages/cli/README.md',
  '/project/architecture': 'ARCHITECTURE.md',
  '/project/contributing': 'CONTRIBUTING.md',
  '/project/security': 'SECURITY.md',
  '/decisions/': 'docs/decisions/README.md',
}

const filesOf = (pattern: string): string[] =>
  globSync(pattern, { cwd: repositoryRoot })
    .filter((path) => !path.endsWith('README.md'))
    .sort()

/**
 * Returns the source file of every handwritten page, keyed by the page's address. A new Markdown file in `docs` becomes a page
 * without any other change.
 */
export const sourceFiles = (): ReadonlyMap<string, string> => {
  const pages = new Map(Object.entries(fixedSources))
  // The configuration page is generated as part of the reference, so it does not become a guide.
  const known = new Set([...pages.values(), configurationSource])
  for (const path of filesOf('docs/{concepts,guides,operate,decisions}/*.md')) pages.set(path.slice('docs'.length, -'.md'.length), path)
  for (const path of filesOf('docs/*.md')) if (!known.has(path)) pages.set(`/guides/${path.slice('docs/'.length, -'.md'.length)}`, path)
  return pages
}
