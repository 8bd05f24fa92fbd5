import type { MarkdownOptions } from 'vitepress'
import { renderDiagram } from './diagrams.ts'

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0]

/**
 * Adapts the renderer to pages that are also read on GitHub: renders Mermaid diagrams, shows double braces as text, and
 * makes wide tables scroll.
 */
export const extendMarkdown = (md: MarkdownIt): void => {
  const { rules } = md.renderer
  const { fence, text } = rules
  if (!fence || !text)
    throw new Error('The Markdown renderer has no "fence" or "text" rule. Adapt extendMarkdown to the version of the renderer.')
  rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index]
    return token?.info.trim() === 'mermaid' ? renderDiagram(token.content) : fence(tokens, index, options, env, self)
  }
  // Writes double opening braces as entities, because Vue evaluates text such as `{{subject}}` as an expression. Vue does not
  // evaluate entities, and the page still shows them as braces.
  rules.text = (...args) => text(...args).replaceAll('{{', '&#123;&#123;')
  // Turns empty header cells into data cells, because a table header must have text to be accessible.
  md.core.ruler.push('empty_headers', ({ tokens }) => {
    for (const [index, token] of tokens.entries())
      if (token.type === 'inline' && token.content === '' && tokens[index - 1]?.type === 'th_open')
        for (const cell of [tokens[index - 1], tokens[index + 1]]) if (cell) cell.tag = 'td'
  })
  rules.table_open = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n'
  rules.table_close = () => '</table></div>\n'
}
