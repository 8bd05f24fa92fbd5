/** Returns text that can stand in a cell of a table. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')

/** Returns a Markdown table. Without rows, returns an empty string. */
export const table = (header: readonly string[], rows: readonly (readonly string[])[]): string => {
  if (rows.length === 0) return ''
  const lines = [header, header.map(() => '---'), ...rows.map((row) => row.map(cell))]
  return `${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`
}

/** Returns a block of code. */
export const codeBlock = (language: string, code: string): string => `\`\`\`${language}\n${code.trimEnd()}\n\`\`\`\n`

/** Joins the parts of a page that are not empty. */
export const joinParts = (parts: readonly (string | undefined)[]): string =>
  `${parts.flatMap((part) => (part ? [part.trimEnd()] : [])).join('\n\n')}\n`
