import { renderMermaidSVG } from 'beautiful-mermaid'

const colors = {
  bg: 'var(--vp-c-bg)',
  fg: 'var(--vp-c-text-1)',
  line: 'var(--vp-c-text-3)',
  accent: 'var(--vp-c-brand-1)',
  muted: 'var(--vp-c-text-2)',
  surface: 'var(--vp-c-bg-soft)',
  border: 'var(--vp-c-border)',
}

const escapeAttribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

/**
 * Renders a Mermaid diagram as SVG with the theme's colors. The line `%% alt: …` in the source describes the diagram
 * for people who cannot see it.
 * @throws Error if the description is missing.
 */
export const renderDiagram = (source: string): string => {
  const alt = /^%% alt: (.+)$/m.exec(source)?.[1]
  if (alt === undefined) throw new Error(`A diagram needs a line "%% alt: …" that describes it:\n${source}`)
  const diagram = source.replaceAll(/^%%.*\n?/gm, '')
  const svg = renderMermaidSVG(diagram, { ...colors, transparent: true, font: 'system-ui', padding: 8 })
    // Removes the font that the renderer imports from another host.
    .replaceAll(/@import url\([^)]*\);?/g, '')
    .replace('<svg ', () => `<svg role="img" aria-label="${escapeAttribute(alt)}" `)
  // Passes the SVG to `v-html` as a string, because Vue would remove the SVG's `<style>` element from a template.
  return `<figure class="diagram" tabindex="0" role="group" aria-label="Diagram"><div v-html="${escapeAttribute(JSON.stringify(svg))}"></div></figure>\n`
}
