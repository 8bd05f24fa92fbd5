import { describe, expect, it } from 'vitest'
import { rewriteLinks } from './links.ts'

const files = new Set(['docs/events.md', 'packages/client/README.md', 'ops/prometheus/alerts.yml', 'SECURITY.md'])
const targets = {
  urls: new Map([
    ['docs/events.md', '/guides/events'],
    ['packages/client/README.md', '/reference/sdk'],
  ]),
  exists: (path: string) => files.has(path),
  publishImage: (path: string) => `/images/${path}`,
}
const rewrite = (markdown: string) => rewriteLinks(markdown, 'docs/operations.md', targets)

describe('rewriteLinks', () => {
  it.each([
    ['a page', '[a](events.md#retries)', '[a](/guides/events#retries)'],
    ['the folder of a README', '[a](../packages/client)', '[a](/reference/sdk)'],
    ['a page by its address on GitHub', '[a](https://github.com/flowpost/flowpost/blob/main/docs/events.md#x)', '[a](/guides/events#x)'],
    ['the README', '[a](https://github.com/flowpost/flowpost#start)', '[a](/get-started)'],
    ['a generated page', '[a](https://flowpost.github.io/flowpost/problems/not_found)', '[a](/problems/not_found)'],
    ['another file', '[a](../ops/prometheus/alerts.yml)', '[a](https://github.com/flowpost/flowpost/blob/main/ops/prometheus/alerts.yml)'],
    ['another site', '[a](https://example.com/docs/events.md)', '[a](https://example.com/docs/events.md)'],
    ['a heading of the page', '[a](#limits)', '[a](#limits)'],
    ['a link with code', 'Use [`a`](events.md) or `b`.', 'Use [`a`](/guides/events) or `b`.'],
    ['an image', '![a](images/a.png)', '![a](/images/docs/images/a.png)'],
  ])('rewrites the link to %s', (_, markdown, expected) => {
    expect(rewrite(markdown)).toBe(expected)
  })

  it('leaves code unchanged', () => {
    const markdown = '```md\n[a](events.md)\n```\n\n`[a](events.md)`'
    expect(rewrite(markdown)).toBe(markdown)
  })

  it('fails for a file that does not exist', () => {
    expect(() => rewrite('[a](missing.md)')).toThrow('docs/operations.md links to missing.md, which does not exist.')
  })
})
