/**
 * A writer that lays out text as a browser does. It collapses white space outside `<pre>` and puts blocks on separate
 * lines. It keeps the line breaks from `<br>` and `<pre>`, except at the start and end of the text.
 */
export interface TextWriter {
  /** Writes text and collapses its white space, also across consecutive calls. */
  readonly inline: (text: string) => void
  /** Writes text whose white space is preserved, as in `<pre>`. */
  readonly preformatted: (text: string) => void
  /** Ends the line. */
  readonly lineBreak: () => void
  /** Ensures that at least this many newlines precede the next text. */
  readonly block: (lineEnds: number) => void
  /** Starts a list item. The marker is written together with the item's first text, so an empty item adds nothing. */
  readonly item: (marker: string) => void
  /** Ends a list item. */
  readonly endItem: () => void
  /** Appends to the last written text, before any pending newlines. */
  readonly suffix: (text: string) => void
  /** Returns the current position, to pass to {@link TextWriter.since}. */
  readonly mark: () => number
  /** Returns the text written since a position from {@link TextWriter.mark}, as a single line without list markers. */
  readonly since: (mark: number) => string
  /** Returns the whole text. */
  readonly text: () => string
}

const collapsing = /[\t\n\f\r\u00a0]| {2}/

const collapse = (text: string): string => {
  if (!collapsing.test(text)) return text
  return text.replace(/[ \t\n\f\r]+/g, ' ').replaceAll('\u00a0', ' ')
}

/** Creates a {@link TextWriter}. The writer stores the text in pieces, so reading a part does not copy the whole text. */
export const createTextWriter = (): TextWriter => {
  /** The pieces of text written so far. */
  const texts: string[] = []
  /** The white space and list marker before each piece in `texts`. */
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
