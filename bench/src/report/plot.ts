import { type Comparison, isMet } from '../result.ts'
import { ratio } from './numbers.ts'

const labelWidth = 330
const scaleWidth = 380
const rowHeight = 26
const topHeight = 34
const margin = 14
const tickStep = 0.25

const style = `
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .small { font-size: 11px; fill: #57606a; }
  .grid { stroke: #d0d7de; }
  .floor { stroke: #57606a; }
  .goal { stroke: #0969da; stroke-width: 2; }
  .met { fill: #1a7f37; stroke: #1a7f37; }
  .missed { fill: #cf222e; stroke: #cf222e; }
  .reported { fill: #6e7781; stroke: #6e7781; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .small { fill: #9198a1; }
    .grid { stroke: #30363d; }
    .floor { stroke: #9198a1; }
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

/**
 * Draws the ratios: a dot for the median, a line for the middle half of the rounds, a bar for the goal, and 1.00 where
 * the floor is. Comparisons of another kind are left out.
 * @returns an SVG that reads on a light and on a dark page.
 */
export const plot = (comparisons: readonly Comparison[]): string => {
  const ratios = comparisons.filter(({ kind }) => kind === 'ratio')
  const most = Math.max(1, ...ratios.flatMap(({ result, goal }) => [result.high, goal?.atLeast ?? 0, goal?.atMost ?? 0]))
  const last = Math.ceil(most / tickStep) * tickStep
  const x = (value: number): string => (labelWidth + (value / last) * scaleWidth).toFixed(1)
  const width = labelWidth + scaleWidth + 2 * margin + 40
  const height = topHeight + ratios.length * rowHeight + margin
  const tick = (value: number): string[] => [
    `<line class="${value === 1 ? 'floor' : 'grid'}" x1="${x(value)}" x2="${x(value)}" y1="${topHeight - 8}" y2="${height - margin}"/>`,
    `<text class="small" text-anchor="middle" x="${x(value)}" y="${topHeight - 14}">${value === 1 ? 'floor' : ratio(value)}</text>`,
  ]
  // Every second tick has room when the scale is long.
  const step = last > 2 ? 2 * tickStep : tickStep
  const ticks = Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => index * step).flatMap(tick)
  const row = (comparison: Comparison, index: number): string[] => {
    const y = topHeight + (index + 0.5) * rowHeight
    const { result, goal, title, subject } = comparison
    const name = subject.name === 'Flowpost' ? title : `${title} (${subject.name})`
    const bound = goal?.atLeast ?? goal?.atMost
    return [
      `<text x="${margin}" y="${y + 4}">${escaped(name)}</text>`,
      ...(bound === undefined ? [] : [`<line class="goal" x1="${x(bound)}" x2="${x(bound)}" y1="${y - 9}" y2="${y + 9}"/>`]),
      `<line class="${classOf(comparison)}" x1="${x(result.low)}" x2="${x(result.high)}" y1="${y}" y2="${y}" stroke-width="3"/>`,
      `<circle class="${classOf(comparison)}" cx="${x(result.median)}" cy="${y}" r="5"><title>${escaped(name)}: ${ratio(result.median)}</title></circle>`,
    ]
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    '<title>Flowpost in proportion to its floors</title>',
    `<style>${style}\n</style>`,
    ...ticks,
    ...ratios.flatMap(row),
    '</svg>',
    '',
  ].join('\n')
}
