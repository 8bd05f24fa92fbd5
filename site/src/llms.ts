import type { DefaultTheme } from 'vitepress'
import { docsBase } from './docs-base.ts'
import { fileOf, type Page } from './page.ts'

const summary =
  'Flowpost is a self-hosted service that delivers notifications by email, Slack, Discord, Microsoft Teams and webhooks. Services send notifications with an HTTP API or a typed SDK. A project contains flows; each flow names a provider, a target and a message template.'

/** Returns a page's Markdown with links that work at the path where the site is served. */
const withBase = ({ markdown }: Page): string => markdown.replaceAll('](/', `](${docsBase}`)

/** Returns the first paragraph of a page as one line of plain text, at most 200 characters. */
const introductionOf = ({ markdown }: Page): string => {
  const paragraph = markdown.split(/\n{2,}/).find((block) => /^[A-Z]/.test(block)) ?? ''
  const text = paragraph
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return text.length <= 200 ? text : `${text.slice(0, 200).replace(/\s\S*$/, '')} …`
}

/**
 * Returns the files for language models, keyed by name. `llms.txt` lists the pages as described at https://llmstxt.org.
 * `llms-full.txt` contains every page except the home page and the pages of the reference and project sections. Each page
 * except the home page also has a Markdown file.
 */
export const createLlmsFiles = (
  pages: readonly Page[],
  sidebar: Record<string, DefaultTheme.SidebarItem[]>,
): ReadonlyMap<string, string> => {
  const byUrl = new Map(pages.map((page) => [page.url, page]))
  const groups = [...(sidebar['/'] ?? []), ...(sidebar['/reference/'] ?? []), ...(sidebar['/project/'] ?? [])]
  const sections = groups.map(({ text, items = [] }) => {
    const lines = items.flatMap(({ text: label, link = '' }) => {
      const page = byUrl.get(link)
      return page ? [`- [${label}](${fileOf(page)}): ${introductionOf(page)}`] : []
    })
    return `## ${text}\n\n${lines.join('\n')}\n`
  })
  const learned = (sidebar['/'] ?? []).flatMap(({ items = [] }) =>
    items.flatMap(({ link = '' }) => [byUrl.get(link)].flatMap((page) => (page ? [withBase(page)] : []))),
  )
  return new Map([
    ['llms.txt', `# Flowpost\n\n> ${summary}\n\n${sections.join('\n')}`],
    ['llms-full.txt', `# Flowpost\n\n> ${summary}\n\n${learned.join('\n\n')}`],
    ...pages.filter(({ url }) => url !== '/').map((page): [string, string] => [fileOf(page), withBase(page)]),
  ])
}
