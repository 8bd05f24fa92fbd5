import MarkdownIt from 'markdown-it'
import { docsUrl } from '../../../log-help/log-help.ts'
import { type Html, trustMarkup } from '../../../shared/html.ts'

/**
 * Resolves the address of a link. A path on the documentation site becomes a link to the equivalent page on this server.
 * If there is no such page, the path becomes an absolute URL.
 */
const linkOf = (address: string, root: string): string => {
  const [, page] = /^\/reference\/api(?:\/(.+))?/.exec(address) ?? /^\/(problems\/.+)/.exec(address) ?? []
  if (page !== undefined) return `${root}docs/${page}`
  if (address.startsWith('/reference/api')) return `${root}docs`
  return address.startsWith('/') ? `${docsUrl}${address}` : address
}

// Raw HTML is escaped, and links with a scheme such as `javascript:` stay text.
const markdown = new MarkdownIt('default', { html: false })

markdown.core.ruler.push('links', ({ tokens, env }) => {
  for (const { children } of tokens)
    for (const token of children ?? [])
      if (token.type === 'link_open') token.attrSet('href', linkOf(String(token.attrGet('href')), (env as { root: string }).root))
})

/**
 * Renders Markdown as paragraphs.
 * @param root The relative URL of the server's root, such as `../`.
 */
export const renderMarkdown = (text: string, root: string): Html => trustMarkup(markdown.render(text, { root }))

/** Renders Markdown without a paragraph around it. */
export const renderInline = (text: string, root: string): Html => trustMarkup(markdown.renderInline(text, { root }))
