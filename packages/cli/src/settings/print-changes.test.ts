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

it('prints a short change on one line', () => {
  expect(linesOf('a', 'b')).toEqual(['    message_template: "a" → "b"'])
})

it.each([
  ['a', 'b\nc', ['      - "a"', '      + b', '      + c']],
  ['b\nc', 'a', ['      - b', '      - c', '      + "a"']],
  ['a'.repeat(40), 'b'.repeat(40), [`      - "${'a'.repeat(40)}"`, `      + "${'b'.repeat(40)}"`]],
])('prints every line of a change from %j to %j', (before, after, lines) => {
  expect(linesOf(before, after)).toEqual(['    message_template:', ...lines])
})
