// Draws the pictures in README.md for light and dark pages. When run as a program, writes them to `docs/images`.
import { writeFileSync } from 'node:fs'
import { renderMermaidSVG } from 'beautiful-mermaid'
import { repositoryRoot } from './repository.ts'

const diagram = `flowchart LR
  program[Your program] -->|notification| project[Flowpost: project billing]
  project -->|flow| mail[Email]
  project -->|flow| chat[Slack, Discord, Teams]
  project -->|flow| hook[Webhook]
`

const palettes = {
  light: { bg: '#ffffff', fg: '#191c24', line: '#596072', accent: '#3a46b8', muted: '#4c5364', surface: '#f4f5f8', border: '#b9bfce' },
  dark: { bg: '#0f1117', fg: '#e6e8ef', line: '#9ba3b5', accent: '#a3adff', muted: '#b3bac9', surface: '#171a22', border: '#454c5e' },
} as const

/** Returns the pictures as SVG, keyed by their path in the repository. They load nothing from other hosts. */
export const readmePictures = (): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(palettes).map(([name, colors]) => {
      const svg = renderMermaidSVG(diagram, { ...colors, font: 'system-ui', padding: 16 })
      return [`docs/images/overview-${name}.svg`, `${svg.replaceAll(/@import url\([^)]*\);?/g, '').trim()}\n`]
    }),
  )

if (import.meta.main) for (const [path, svg] of readmePictures()) writeFileSync(`${repositoryRoot}${path}`, svg)
