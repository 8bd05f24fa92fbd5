import { utf8Length } from '../rendering/text-length.ts'

const lineBreak = /\r\n|\r|\n/
const noBreakSpace = '\u00a0'

/** Splits a text into lines. A blank line becomes a no-break space, because Teams does not show a blank text block. */
const splitLines = (text: string): string[] => text.split(lineBreak).map((line) => (line.trim() === '' ? noBreakSpace : line))

const toBlock = (text: string) => ({ type: 'TextBlock', text, wrap: true, spacing: 'None' })

const serialize = (blocks: readonly object[]): string => {
  const card = { $schema: 'http://adaptivecards.io/schemas/adaptive-card.json', type: 'AdaptiveCard', version: '1.4', body: blocks }
  return JSON.stringify({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card }],
  })
}

const emptyCardBytes = serialize([]).length
const emptyBlockBytes = JSON.stringify(toBlock('')).length
const quotesBytes = 2

/**
 * Serializes a text as a Teams message: an Adaptive Card with one text block per line, because Teams clients differ in how
 * they render line breaks within a block.
 */
export const serializeTeamsCard = (text: string): string => serialize(splitLines(text).map(toBlock))

/** Returns the size of a text as a Teams message, in bytes: the UTF-8 length of {@link serializeTeamsCard}. */
export const countTeamsCardBytes = (text: string): number => {
  const lines = splitLines(text)
  // In the serialized card, commas separate the blocks. `lines.join(',')` adds the same number of commas.
  return emptyCardBytes + lines.length * emptyBlockBytes + utf8Length(JSON.stringify(lines.join(','))) - quotesBytes
}
