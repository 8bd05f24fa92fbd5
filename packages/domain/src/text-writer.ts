/** Lays out text the way a browser does: white space collapses, blocks stand apart, `<br>` adds up. */
export interface TextWriter {
  /** Text whose white space collapses, also with that of its neighbours. */
  readonly inline: (text: string) => void
  /** Text whose white space is kept, as in `<pre>`. */
  readonly preformatted: (text: string) => void
  /** Ends the line. */
  readonly lineBreak: () => void
  /** Separates blocks by at least so many line ends. */
  readonly block: (lineEnds: number) => void
  /** Starts a list item; its marker is written with the first text, so an empty item leaves no trace. */
  readonly item: (marker: string) => void
  /** Ends a list item. */
  readonly endItem: () => void
  /** Adds to what was written last, before any line end that is due. */
  readonly suffix: (text: string) => void
  /** A position, for {@link TextWriter.since}. */
  readonly mark: () => number
  /** What was written since the mark, without the layout. */
  readonly since: (mark: number) => string
  /** All of it. */
  readonly text: () => string
}

const collapsing = /[\t\n\f\r\u00a0]| {2}/

const collapse = (text: string): string => {
  if (!collapsing.test(text)) return text
  return text.replace(/[ \t\n\f\r]+/g, ' ').replaceAll('\u00a0', ' ')
}

/** Makes a writer. It keeps pieces in lists, so that reading a part back never copies the whole. */
export const createTextWriter = (): TextWriter => {
  /** Each piece of text, and the line ends, blanks and list marker before it. */
  const texts: string[] = []
  const leads: string[] = []
  let lineEnds = 0
  let space = false
  let marker = ''

  const write = (text: string) => {
    const gap = texts.length === 0 ? '' : lineEnds > 0 ? '\n'.repeat(lineEnds) : space ? ' ' : ''
    leads.push(marker === '' ? gap : gap + marker)
    texts.push(text)
    lineEnds = 0
    space = false
    marker = ''
  }
  const lineBreak = () => {
    lineEnds += 1
    space = false
  }
  const block = (atLeast: number) => {
    lineEnds = Math.max(lineEnds, atLeast)
    space = false
  }

  return {
    inline: (text) => {
      const collapsed = collapse(text)
      const start = collapsed.trimStart()
      if (start.length < collapsed.length) space = true
      const word = start.trimEnd()
      if (word === '') return
      write(word)
      space = word.length < start.length
    },
    preformatted: (text) => {
      for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
        if (index > 0) lineBreak()
        if (line !== '') write(line.replaceAll('\u00a0', ' '))
      }
    },
    lineBreak,
    block,
    item: (text) => {
      block(1)
      marker = text
    },
    endItem: () => {
      marker = ''
      block(1)
    },
    suffix: (text) => {
      texts.push(texts.pop() + text)
    },
    mark: () => texts.length,
    since: (mark) => texts.slice(mark).join(' ').trim(),
    text: () => {
      let all = ''
      for (let index = 0; index < texts.length; index += 1) all += (leads[index] ?? '') + texts[index]
      return all.trimEnd()
    },
  }
}
