import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import type { Page } from '../page.ts'
import { slugify } from '../slugify.ts'
import { joinParts } from './markdown.ts'
import { readSdkModel, type SdkModule, sdkModules } from './sdk-model.ts'

/** Returns the file that the Markdown plugin writes for a module. */
const outputOf = ({ file }: SdkModule): string => file.replace(/(?:\/index)?\.ts$/, '.md')

const urlOf = ({ page }: SdkModule): string => `/reference/packages/${page}`

/** Converts links between the plugin's output files to links between pages. */
const rewriteLinks = (markdown: string, file: string, urls: ReadonlyMap<string, string>): string =>
  markdown.replaceAll(/\]\(([^()\s#]+\.md)(#[^()\s]*)?\)/g, (_, target: string, anchor = '') => {
    const url = urls.get(posix.join(posix.dirname(file), target))
    if (url === undefined) throw new Error(`The reference of ${file} links to ${target}, which has no page.`)
    return `](${url}${anchor})`
  })

/**
 * Replaces links to `#name-1` with links to `#name` if the page has only one heading with that name. The plugin sometimes adds
 * the number by mistake. For example, it derives the same name from the interface `SeedProject` and from the method
 * `Seed.project`, and therefore adds a number to one of them. However, the method's heading is `project()`.
 */
const correctAnchors = (markdown: string): string => {
  const headings = [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slugify(heading))
  return markdown.replaceAll(/\]\(#([\w-]+)-\d+\)/g, (link, name: string) =>
    headings.filter((heading) => heading === name).length === 1 ? `](#${name})` : link,
  )
}

/**
 * Adapts the plugin's text: removes the horizontal rules between sections and, on the page `client`, the list of exports that
 * other pages describe.
 */
const adapt = (markdown: string, { page }: SdkModule): string => {
  const text = markdown.replaceAll(/^\*\*\*\n/gm, '')
  return page === 'client' ? text.replace(/^## References\n[\s\S]*?(?=^## |$(?![\s\S]))/m, '') : text
}

const writePages = async (): Promise<Page[]> => {
  const { app, project } = await readSdkModel()
  const folder = mkdtempSync(join(tmpdir(), 'flowpost-reference-'))
  try {
    // TypeDoc's types do not contain the name `markdown`, because the plugin registers this output.
    await app.outputs.writeOutput({ name: 'markdown' as 'html', path: folder }, project)
    const files = new Set(globSync('**/*.md', { cwd: folder }))
    const urls = new Map(sdkModules.map((module) => [outputOf(module), urlOf(module)]))
    return sdkModules.map((module) => {
      const file = outputOf(module)
      if (!files.has(file)) throw new Error(`TypeDoc did not write ${file}. It wrote ${[...files].join(', ')}.`)
      const text = adapt(readFileSync(join(folder, file), 'utf8'), module)
      return {
        url: urlOf(module),
        title: module.title,
        markdown: joinParts([`# ${module.title}`, module.introduction, correctAnchors(rewriteLinks(text, file, urls))]),
      }
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

let pages: Promise<Page[]> | undefined

/**
 * Generates the reference for the published packages from their doc comments and types. Reads the packages once per
 * process.
 */
export const createSdkPages = (): Promise<Page[]> => {
  pages ??= writePages()
  return pages
}
