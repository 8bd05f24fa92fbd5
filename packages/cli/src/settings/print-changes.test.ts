import { expect, it } from 'vitest'
import type { Output } from '../output/output.ts'
import { printField } from './print-changes.ts'

const linesOf = (before: unknown, after: unknown): string[] => {
  const lines: string[] = []
  const output = { print: (line = '') => void lines.push(line), paint: (_style: string, text: string) => text }
  const change = { action: 'update', kind: 'flow', key: 'a', id: null, pointer: '/flows/0/message_template', before, after }
  printField(output as unknown as Output, change as never)
  return lines
}

it.each([
  ['a', 'b', '"a" → "b"'],
  ['a', undefined, '"a" → nothing'],
  ['Hi\na', 'Hi\nb', 'a → b'],
  [{ a: 1 }, 'a\nb', String.raw`{"a":1} → "a\nb"`],
  ['Hi\na\tb', 'Hi\na b', String.raw`"a\tb" → "a b"`],
  ['Hi\na\tb', 'Hi\na\\tb', String.raw`"a\tb" → "a\\tb"`],
  ['Hi\na\u0085', 'Hi\na\u0007', String.raw`"a\u0085" → "a\u0007"`],
  ['Hi\na', 'Hi\na\r', String.raw`"a" → "a\r"`],
  ['Hi\na', 'Hi\na ', '"a" → "a "'],
  ['Hi\n', 'Hi\na', '"" → a'],
  ['Hi\n', 'Hi\n""', String.raw`"" → "\"\""`],
])('prints a short change from %j to %j on one line', (before, after, line) => {
  expect(linesOf(before, after)).toEqual([`    message_template: ${line}`])
})

it.each([
  ['a', 'b\nc', ['      - a', '      + b', '      + c']],
  ['b\nc', 'a', ['      - b', '      - c', '      + a']],
  ['Hi\na', 'Hi\n\na', ['      + ""']],
  ['Hi\na', 'Hi\na\n', ['      + ""']],
  ['a', 'a\nb', ['      + b']],
  ['a\nb\na', 'a', ['      - b', '      - a']],
  [undefined, 'a\n', ['      + a', '      + ""']],
  ['a\t\nb', 'c', ['      - "a\\t"', '      - "b"', '      + "c"']],
  ['a'.repeat(40), 'b'.repeat(40), [`      - "${'a'.repeat(40)}"`, `      + "${'b'.repeat(40)}"`]],
])('prints every different line of a change from %j to %j', (before, after, lines) => {
  expect(linesOf(before, after)).toEqual(['    message_template:', ...lines])
})

it('prints a change at the end of a text with very many lines in a moment', () => {
  const text = '\n'.repeat(99_980)
  const startedAt = performance.now()
  expect(linesOf(`${text}a`, `${text}b`)).toEqual(['    message_template: a → b'])
  // Takes about 20 ms. With quadratic time, it takes several seconds.
  expect(performance.now() - startedAt).toBeLessThan(1_000)
})
