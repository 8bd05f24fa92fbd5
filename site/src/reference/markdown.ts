/** Returns text that is safe to use in a table cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')

/** Returns a Markdown table. Without rows, returns an empty string. */
export const table = (header: readonly string[], rows: readonly (readonly string[])[]): string => {
  if (rows.length === 0) return ''
  const lines = [header, header.map(() => '---'), ...rows.map((row) => row.map(cell))]
  return `${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`
}

/** Returns a fenced code block. */
export const codeBlock = (language: string, code: string): string => `\`\`\`${language}\n${code.trimEnd()}\n\`\`\`\n`

/** Joins the non-empty parts of a page. */
export const joinParts = (parts: readonly (string | undefined)[]): string =>
  `${parts.flatMap((part) => (part ? [part.trimEnd()] : [])).join('\n\n')}\n`
