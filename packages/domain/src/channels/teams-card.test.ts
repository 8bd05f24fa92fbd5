import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findContentIssues } from '../rendering/content.ts'
import { codePointLength } from '../rendering/text-length.ts'
import { describeTeams } from './named-urls.ts'
import { countTeamsCardBytes, serializeTeamsCard } from './teams-card.ts'

const { limits } = describeTeams()
const isAccepted = (text: string): boolean => findContentIssues({ subject: '', text }, limits).length === 0
const cardBytesOf = (text: string): number => new TextEncoder().encode(serializeTeamsCard(text)).length

// Includes characters that JSON escapes, each kind of line break, and each half of a surrogate pair, to produce lone surrogates.
const anyPiece = fc.constantFrom('x', 'word ', '\n', '\r\n', '\r', '"', '\\', '\u0001', ' ', '\t', 'é', '€', '🚀', '\ud83d', '\ude80')

const anyText = (maxRepeats: number) =>
  fc
    .array(fc.tuple(anyPiece, fc.integer({ min: 1, max: maxRepeats })), { maxLength: 8 })
    .map((pieces) => pieces.map(([piece, count]) => piece.repeat(count)).join(''))

test('a message is accepted if and only if it has at most 20,000 characters and its card has at most 28,000 bytes', () => {
  fc.assert(
    fc.property(anyText(5_000), (text) => {
      expect(isAccepted(text)).toBe(codePointLength(text) <= 20_000 && cardBytesOf(text) <= 28_000)
    }),
  )
})

test('the counted size is the size of the card', () => {
  fc.assert(
    fc.property(anyText(3), (text) => {
      expect(countTeamsCardBytes(text)).toBe(cardBytesOf(text))
    }),
  )
})

test('a message with more lines than fit into a card is rejected', () => {
  expect(isAccepted('x\n'.repeat(400))).toBe(true)
  expect(isAccepted('x\n'.repeat(1000))).toBe(false)
})

// Renderers of Adaptive Cards leave out a block with an empty text: https://github.com/microsoft/AdaptiveCards/issues/3702.
test.each(['', ' ', '\t ', '\u2003'])('a blank line (%j) is sent as a no-break space', (line) => {
  const { attachments } = JSON.parse(serializeTeamsCard(`First paragraph.\n${line}\nSecond paragraph.`))
  const lines = attachments[0].content.body.map(({ text }: { text: string }) => text)
  expect(lines).toEqual(['First paragraph.', '\u00a0', 'Second paragraph.'])
})
