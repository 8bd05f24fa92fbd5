import { type Comparison, isMet } from '../result.ts'
import { formatRatio } from './format-number.ts'

const labelWidth = 340
const scaleWidth = 380
const rowHeight = 26
const topHeight = 34
const margin = 14
const tickStep = 0.25
const scaleEnd = 2
const width = labelWidth + scaleWidth + 4 * margin + 30

const style = `
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .small { font-size: 11px; fill: #57606a; }
  .grid { stroke: #d0d7de; }
  .baseline { stroke: #57606a; }
  .goal { stroke: #0969da; stroke-width: 2; }
  .spread { stroke-width: 3; }
  .met { fill: #1a7f37; stroke: #1a7f37; }
  .missed { fill: #cf222e; stroke: #cf222e; }
  .reported { fill: #6e7781; stroke: #6e7781; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .small { fill: #9198a1; }
    .grid { stroke: #30363d; }
    .baseline { stroke: #9198a1; }
    .goal { stroke: #58a6ff; }
    .met { fill: #3fb950; stroke: #3fb950; }
    .missed { fill: #f85149; stroke: #f85149; }
    .reported { fill: #8b949e; stroke: #8b949e; }
  }`

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escaped = (text: string): string => text.replace(/[&<>]/g, (character) => escapes[character] ?? character)

const classOf = (comparison: Comparison): string => {
  const met = isMet(comparison)
  return met === undefined ? 'reported' : met ? 'met' : 'missed'
}

const nameOf = ({ title, subject, goal }: Comparison): string =>
  `${title}${subject.name === 'Flowpost' ? '' : `, ${subject.name}`}${goal?.atMost === undefined ? '' : ' (less is better)'}`

const line = (className: string, x1: string, x2: string, y1: number, y2: number): string =>
  `<line class="${className}" x1="${x1}" x2="${x2}" y1="${y1}" y2="${y2}"/>`

const text = (attributes: string, content: string): string => `<text ${attributes}>${escaped(content)}</text>`

/**
 * Draws the comparisons whose result is a ratio: a dot for the median, a line between the quartiles, and a bar for the goal.
 * The baseline is at 1.00. Ratios beyond the scale are drawn at its end. Comparisons whose result is a difference are left
 * out.
 * @returns an SVG for light and dark pages.
 */
export const plot = (comparisons: readonly Comparison[]): string => {
  const ratios = comparisons.filter(({ kind }) => kind === 'ratio')
  const height = topHeight + ratios.length * rowHeight + margin
  const x = (value: number): string => (labelWidth + (Math.min(value, scaleEnd) / scaleEnd) * scaleWidth).toFixed(1)
  const tick = (value: number): string[] => [
    line(value === 1 ? 'baseline' : 'grid', x(value), x(value), topHeight - 8, height - margin),
    text(`class="small" text-anchor="middle" x="${x(value)}" y="${topHeight - 14}"`, value === 1 ? 'baseline' : formatRatio(value)),
  ]
  const row = (comparison: Comparison, index: number): string[] => {
    const y = topHeight + (index + 0.5) * rowHeight
    const { result, goal } = comparison
    const bound = goal?.atLeast ?? goal?.atMost
    return [
      text(`x="${margin}" y="${y + 4}"`, nameOf(comparison)),
      ...(bound === undefined ? [] : [line('goal', x(bound), x(bound), y - 9, y + 9)]),
      line(`${classOf(comparison)} spread`, x(result.low), x(result.high), y, y),
      `<circle class="${classOf(comparison)}" cx="${x(result.median)}" cy="${y}" r="5"/>`,
      text(`text-anchor="end" x="${width - margin}" y="${y + 4}"`, formatRatio(result.median)),
    ]
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    '<title>Flowpost in proportion to its baselines</title>',
    `<style>${style}\n</style>`,
    ...Array.from({ length: scaleEnd / tickStep + 1 }, (_, index) => index * tickStep).flatMap(tick),
    ...ratios.flatMap(row),
    '</svg>',
    '',
  ].join('\n')
}
