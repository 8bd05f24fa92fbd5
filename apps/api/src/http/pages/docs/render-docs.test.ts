import { readFileSync } from 'node:fs'
import { createOpenApiDocument } from '@flowpost/contract'
import { anchorOf, describeApi, problemsOf, tagSlug } from '@flowpost/contract/reference'
import { describe, expect, it } from 'vitest'
import { readMethodReference } from './docs-files.ts'
import { createDocsRenderer } from './render-docs.ts'

const document = createOpenApiDocument({ version: '1.2.3' })
const { operations } = describeApi(document)
const assets = { style: 'docs/assets/a.css', theme: 'docs/assets/b.js', script: 'docs/assets/c.js' }
const render = createDocsRenderer({ document, methodReference: readMethodReference(), assets })

const pageOf = (name: string): string => render(name, '../') ?? ''
const names = ['', 'problems', ...document.tags.map((tag) => tagSlug(tag.name)), 'problems/validation_failed']

/** Returns the section of a page that shows an operation. */
const sectionOf = (page: string, anchor: string): string =>
  page.split('<section class="operation" id="').find((part) => part.startsWith(`${anchor}"`)) ?? ''

const shown = (operationId: string): string => {
  const operation = operations.find((candidate) => candidate.operationId === operationId)
  return operation ? sectionOf(pageOf(tagSlug(operation.tags[0] ?? '')), anchorOf(operation)) : ''
}

describe('an operation', () => {
  const cases = operations.map((operation) => [operation.operationId, operation] as const)
  it.each(cases)('%s is shown with its path, parameters, problem codes and code samples', (id, operation) => {
    const section = sectionOf(pageOf(tagSlug(operation.tags[0] ?? '')), anchorOf(operation))
    expect(section).toContain(`<code>${operation.path}</code>`)
    for (const { name } of operation.parameters) expect(section).toContain(`<dt><code>${name}</code>`)
    for (const [, codes] of problemsOf(operation))
      for (const code of codes) expect(section).toContain(`<a href="../docs/problems/${code}"><code>${code}</code></a>`)
    expect(section).toContain('<code><span class="code-keyword">curl</span>')
    // The SDK has no method for this operation: `projects.delete` does the same.
    if (id !== 'projects.deleteByQuery') expect(section).toContain('<pre tabindex="0" role="group" aria-label="TypeScript: ')
  })

  it('shows required fields, constraints, defaults and response headers', () => {
    const send = sectionOf(pageOf('notifications'), 'notifications-send')
    expect(send).toContain('<dt><code>subject</code> <span class="type">string</span> <span class="required">required</span></dt>')
    expect(send).toContain('<dt><code>message_type</code> <span class="type">string</span></dt>')
    expect(send).toContain('default <code>&quot;text/plain&quot;</code>')
    expect(send).toContain('<dt><code><span class="parent">deliveries[].<wbr></span>status</code>')
    expect(send).toContain('<a href="../docs#header-location"><code>Location</code></a>')
  })

  it('shows the values of the items of an array, and of an enum that newer servers extend', () => {
    expect(shown('eventEndpoints.create')).toContain(
      '<span>Each is one of <code>&quot;notification.settled&quot;</code>, <code>&quot;delivery.sent&quot;</code>',
    )
    expect(shown('notifications.send')).toContain(
      '<span>Currently one of <code>&quot;queued&quot;</code>, <code>&quot;sending&quot;</code>',
    )
  })

  it('shows with which values of another field a field is present', () => {
    expect(shown('notifications.sendBatch')).toContain('<span>only if <code>results[].status</code> is <code>202</code></span>')
  })
})

it('indents the fields of every depth', () => {
  const depths = names.flatMap((name) => [...pageOf(name).matchAll(/class="field depth-(\d)"/g)].map(([, depth = '']) => depth))
  const style = readFileSync(new URL('assets/docs-fields.css', import.meta.url), 'utf8')
  for (const depth of new Set(depths)) if (depth !== '0') expect(style).toContain(`.depth-${depth} {`)
})

describe('every page', () => {
  it.each(names)('%j has unique ids, and links only to pages and anchors that exist', (name) => {
    const page = pageOf(name)
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)
    expect(ids).toEqual([...new Set(ids)])
    for (const [, href = ''] of page.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      if (href.startsWith('https:') || href === '../openapi.json') continue
      const [path = '', anchor] = href.split('#')
      const target = path === '' ? page : render(path.replace(/^\.\.\/docs\/?/, ''), '../')
      expect(target, href).toBeDefined()
      if (anchor !== undefined) expect(target, href).toContain(` id="${anchor}"`)
    }
  })

  it.each(names)('%j contains no inline script, style or event handler, and loads nothing from another host', (name) => {
    expect(pageOf(name)).not.toMatch(/<script>|<style|\sstyle=|\son\w+=|src="https?:|<link[^>]+href="https?:/)
  })
})

it('marks the page in the navigation, and lists its operations', () => {
  expect(pageOf('')).toContain('<a class="nav-page" href="../docs" aria-current="page">Overview</a>')
  expect(pageOf('flows')).toContain('<details class="tag" open><summary>Flows</summary>')
})

it('returns undefined for an unknown page', () => {
  for (const name of ['x', 'problems/x', '__proto__', 'Flows', 'assets']) expect(render(name, '')).toBeUndefined()
})
