import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findBrokenLinks } from './check-links.ts'

const siteOf = (pages: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'flowpost-site-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'guides'))
  for (const [file, html] of Object.entries(pages)) writeFileSync(join(folder, file), html)
  return folder
}

it('reports links to missing pages and anchors, and links that leave the base path', () => {
  const folder = siteOf({
    'index.html':
      '<a href="/docs/guides/a#one">a</a><a href="/docs/guides/b">b</a><a href="./guides/a#two">c</a><a href="/elsewhere">d</a>',
    'guides/a.html': '<h2 id="one">One</h2><a href="/docs/">home</a><a href="https://example.com">e</a><a href="#one">f</a>',
  })
  expect(findBrokenLinks(folder, '/docs/')).toEqual(['/: /docs/guides/b', '/: ./guides/a#two', '/: /elsewhere'])
})
