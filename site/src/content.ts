import { globSync, readFileSync } from 'node:fs'
import { rewriteLinks } from './links.ts'
import { createLlmsFiles } from './llms.ts'
import { createSidebar } from './navigation.ts'
import { fileOf, type Page, titleOf } from './page.ts'
import { createReference } from './reference/reference.ts'
import { createSdkPages } from './reference/sdk-pages.ts'
import { existsInRepository, readRepositoryFile, repositoryRoot } from './repository.ts'
import { sourceFiles } from './sources.ts'
import { writeFiles } from './write-files.ts'

const readPages = (): Page[] =>
  [...sourceFiles()].map(([url, source]) => {
    const markdown = readRepositoryFile(source)
    return { url, source, title: titleOf(markdown), markdown }
  })

/**
 * Returns the pages with their links rewritten for the site. `publishImage` is called with each image's path and
 * returns its address.
 */
const withSiteLinks = (pages: readonly Page[], publishImage: (path: string) => string): Page[] => {
  const urls = new Map(pages.flatMap(({ url, source }): [string, string][] => (source === undefined ? [] : [[source, url]])))
  return pages.map((page) => {
    const base = page.source ?? page.linkBase
    if (base === undefined) return page
    return { ...page, markdown: rewriteLinks(page.markdown, base, { urls, exists: existsInRepository, publishImage }) }
  })
}

/**
 * Returns the front matter for VitePress, or an empty string if the Markdown already starts with front matter. The link
 * "Edit this page" opens the file `source`.
 */
const frontMatter = ({ title, source, outline, markdown }: Page): string =>
  markdown.startsWith('---\n') ? '' : `---\n${JSON.stringify({ title, source, outline, editLink: source !== undefined })}\n---\n\n`

/**
 * Writes the content of the site: the repository's pages with rewritten links, the generated reference, and `llms.txt`.
 */
export const writeContent = async (): Promise<readonly Page[]> => {
  const files = new Map<string, string | Buffer>()
  const addFile = (path: string, source: string): void => void files.set(path, readFileSync(`${repositoryRoot}${source}`))
  const pages = withSiteLinks([...readPages(), ...(await createReference()), ...(await createSdkPages())], (path) => {
    addFile(`public/images/${path}`, path)
    return `/images/${path}`
  })
  for (const page of pages) files.set(fileOf(page), `${frontMatter(page)}${page.markdown}`)
  for (const asset of globSync('*', { cwd: `${repositoryRoot}site/assets` })) addFile(`public/${asset}`, `site/assets/${asset}`)
  const sidebar = createSidebar(pages)
  files.set('sidebar.json', JSON.stringify(sidebar))
  for (const [name, text] of createLlmsFiles(pages, sidebar)) files.set(`public/${name}`, text)
  writeFiles(files)
  return pages
}
