const width = 110

/** Breaks a paragraph into lines of readable width. */
const wrap = (paragraph: string): string[] => {
  const lines: string[] = []
  let line = ''
  for (const word of paragraph.split(/\s+/)) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line ? `${line} ${word}` : word
  }
  return line ? [...lines, line] : lines
}

/** A doc comment of the given paragraphs, or nothing when all are empty. Its text cannot end the comment early. */
export const docComment = (...paragraphs: readonly (string | undefined)[]): string => {
  const blocks = paragraphs.filter((text): text is string => Boolean(text)).map((text) => wrap(text.replaceAll('*/', '*\\/')))
  const [first] = blocks
  if (!first) return ''
  if (blocks.length === 1 && first.length === 1) return `/** ${first[0]} */\n`
  const lines = blocks.flatMap((block, index) => {
    // Tags follow one another without a blank line between them.
    const gap = index > 0 && !(block[0]?.startsWith('@') && blocks[index - 1]?.[0]?.startsWith('@'))
    return gap ? ['', ...block] : block
  })
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}
