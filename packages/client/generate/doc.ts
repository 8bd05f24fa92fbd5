const maxWidth = 110

/** Wraps a paragraph at `maxWidth` characters. */
const wrap = (paragraph: string): string[] => {
  const lines: string[] = []
  let line = ''
  for (const word of paragraph.split(/\s+/)) {
    if (line && line.length + 1 + word.length > maxWidth) {
      lines.push(line)
      line = word
    } else line = line ? `${line} ${word}` : word
  }
  return line ? [...lines, line] : lines
}

/** Creates a doc comment. Returns an empty string if there are no paragraphs. Escapes comment terminators in the text. */
export const docComment = (...paragraphs: readonly (string | undefined)[]): string => {
  const blocks = paragraphs.filter((text): text is string => Boolean(text)).map((text) => wrap(text.replaceAll('*/', '*\\/')))
  const [first] = blocks
  if (!first) return ''
  if (blocks.length === 1 && first.length === 1) return `/** ${first[0]} */\n`
  const lines = blocks.flatMap((block, index) => {
    // Consecutive tags are not separated by a blank line.
    const gap = index > 0 && !(block[0]?.startsWith('@') && blocks[index - 1]?.[0]?.startsWith('@'))
    return gap ? ['', ...block] : block
  })
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}
