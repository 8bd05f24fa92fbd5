import type { MarkdownOptions } from 'vitepress'
import { renderDiagram } from './diagrams.ts'

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0]

/**
 * Adapts the renderer to pages that are also read on GitHub: renders Mermaid diagrams, shows double braces as text, and
 * makes wide tables scroll.
 */
export const extendMarkdown = (md: MarkdownIt): void => {
  const { rules } = md.renderer
  const { fence, text, code_inline: inlineCode } = rules
  if (!fence || !text || !inlineCode)
    throw new Error('The Markdown renderer lacks the rule "fence", "text" or "code_inline". Adapt extendMarkdown to its version.')
  rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index]
    return token?.info.trim() === 'mermaid' ? renderDiagram(token.content) : fence(tokens, index, options, env, self)
  }
  // Writes double opening braces as entities, because Vue evaluates text such as `{{subject}}` as an expression. Vue does not
  // evaluate entities, and the page still shows them as braces.
  const withoutExpressions = (html: string): string => html.replaceAll('{{', '&#123;&#123;')
  rules.text = (...args) => withoutExpressions(text(...args))
  rules.code_inline = (...args) => withoutExpressions(inlineCode(...args))
  // Turns empty header cells into data cells, because a table header must have text to be accessible.
  md.core.ruler.push('empty_headers', ({ tokens }) => {
    for (const [index, token] of tokens.entries())
      if (token.type === 'inline' && token.content === '' && tokens[index - 1]?.type === 'th_open')
        for (const cell of [tokens[index - 1], tokens[index + 1]]) if (cell) cell.tag = 'td'
  })
  rules.table_open = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n'
  rules.table_close = () => '</table></div>\n'
}
