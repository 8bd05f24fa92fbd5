import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

interface Index {
  search(query: string, options: object): readonly { readonly id: string }[]
}

// Loads VitePress's own version of MiniSearch, which wrote the index.
const { default: MiniSearch } = (await import(
  pathToFileURL(createRequire(createRequire(import.meta.url).resolve('vitepress/package.json')).resolve('minisearch')).href
)) as { default: { loadJSON(json: string, options: object): Index } }

// The options of VitePress's search dialog.
const indexOptions = { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] }
const searchOptions = { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } }

/**
 * Reads the search index of a built site. Returns a function that searches the index and returns the pages of the first
 * `count` results.
 * @param base the path at which the site is served, such as `/` or `/flowpost/`.
 */
export const readSearchIndex = async (folder: string, base: string): Promise<(query: string, count: number) => readonly string[]> => {
  const [file] = globSync('assets/chunks/@localSearchIndexroot*.js', { cwd: folder })
  if (file === undefined) throw new Error('The built site has no search index.')
  const { default: json } = (await import(pathToFileURL(join(folder, file)).href)) as { default: string }
  const index = MiniSearch.loadJSON(json, indexOptions)
  return (query, count) =>
    index
      .search(query, searchOptions)
      .slice(0, count)
      .map(({ id }) => `/${id.slice(base.length).replace(/#.*$/, '')}`)
}
