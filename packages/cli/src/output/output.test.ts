import { describe, expect, it } from 'vitest'
import { hasColors } from './colors.ts'
import { formatTable, truncate } from './table.ts'
import { toSafeJson, toSafeLine, toSafeText } from './terminal-text.ts'
import { formatDuration } from './time-text.ts'

const terminal = { isTTY: true, write: () => {} }
const pipe = { write: () => {} }

describe('colors', () => {
  it.each([
    ['a terminal', terminal, {}, true],
    ['a pipe', pipe, {}, false],
    ['a terminal with NO_COLOR', terminal, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    ['a terminal with an empty NO_COLOR', terminal, { NO_COLOR: '' }, true],
    ['a pipe with FORCE_COLOR', pipe, { FORCE_COLOR: '1' }, true],
    ['a terminal with FORCE_COLOR=0', terminal, { FORCE_COLOR: '0' }, false],
    ['a dumb terminal', terminal, { TERM: 'dumb' }, false],
  ])('follow the environment on %s', (_, stream, env, expected) => {
    expect(hasColors(stream, env)).toBe(expected)
  })
})

describe('text from a server', () => {
  const hostile = 'a\x1b[2Jb\u009b31mc\u202ed\r\ne\tf\u2028g\x7fh\u061c'

  it('has no control characters in a line', () => {
    expect(toSafeLine(hostile)).toBe('a�[2Jb�31mc�d e f�g�h�')
  })

  it('keeps line breaks and tabs in a text', () => {
    expect(toSafeText(hostile)).toBe('a�[2Jb�31mc�d\ne\tf�g�h�')
  })

  it('is escaped in JSON without loss', () => {
    const json = toSafeJson({ hostile }, 2)
    expect(json.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u061c\u202e\u2028]/u)
    expect(JSON.parse(json)).toEqual({ hostile })
  })
})

describe('tables', () => {
  it('align columns with wide characters and colors', () => {
    const rows = [
      ['A', 'B'],
      ['日本', 'x'],
      ['\x1b[31mred\x1b[39m', ''],
    ]
    expect(formatTable(rows)).toEqual(['A     B', '日本  x', '\x1b[31mred\x1b[39m'])
  })

  it('truncate by width, without cutting a character', () => {
    expect([truncate('abcdef', 6), truncate('abcdef', 4), truncate('日本語', 4)]).toEqual(['abcdef', 'abc…', '日…'])
  })
})

it.each([
  [12, '12 ms'],
  [1_500, '2 s'],
  [90_000, '90 s'],
  [300_000, '5 min'],
  [10_800_000, '3 h'],
  [172_800_000, '2 d'],
])('formats %i ms as %s', (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text)
})
