import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'fast-string-width'

const widthOf = (text: string): number => stringWidth(stripVTControlCharacters(text))

const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

/** Shortens unstyled text to a width in columns. */
export const truncate = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  let shortened = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(shortened + segment) > width - 1) break
    shortened += segment
  }
  return `${shortened}…`
}

/** Formats rows as aligned columns, each as wide as its widest cell. Does not pad the last column. */
export const formatTable = (rows: readonly (readonly string[])[]): string[] => {
  const widths: number[] = []
  for (const row of rows) for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell))
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : pad(cell, widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}
