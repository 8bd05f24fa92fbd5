import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findPageIssues } from './check-pages.ts'

it('reports code without text, and titles that two pages have', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flowpost-site-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'guides'))
  const pages = {
    'index.html': '<title>Flowpost</title><code>{{subject}}</code>',
    'guides/events.html': '<title>Events | Flowpost</title><td><code></code></td>',
    'guides/index.html': '<title>Events | Flowpost</title><code class="a">a</code>',
  }
  for (const [file, html] of Object.entries(pages)) writeFileSync(join(folder, file), html)
  expect(findPageIssues(folder)).toEqual([
    '/guides/events: an empty <code> element',
    '/guides/: the title "Events | Flowpost" of /guides/events',
  ])
})
