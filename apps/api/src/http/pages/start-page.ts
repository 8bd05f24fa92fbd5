import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Request, Router } from 'express'
import { servePage } from './page.ts'

/** What {@link createStartPage} needs. */
export interface StartPageDeps {
  readonly version: string
  /** Whether the outbox answers whoever sends this request. */
  readonly hasOutbox: (request: Request) => boolean
}

/** A page that the start page links to. */
interface Link {
  /** Its key in the JSON form. */
  readonly key: string
  readonly path: string
  readonly name: string
  readonly hint: string
}

const docs: Link = { key: 'docs', path: '/docs', name: 'API reference', hint: 'Every operation, to read and to try out' }
const outbox: Link = { key: 'outbox', path: '/outbox', name: 'Outbox', hint: 'Captured messages. The startup output says how to open it' }
const others: readonly Link[] = [
  { key: 'openapi', path: '/openapi.json', name: 'OpenAPI document', hint: 'The same interface for tools' },
  { key: 'health', path: '/readyz', name: 'Health', hint: 'Whether the server and its database are ready' },
]

/** The page. Its links are relative, so that it also works below the path of a proxy. */
const renderPage = (version: string, style: string, links: readonly Link[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Flowpost</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>Flowpost</h1>
<p>Version ${version}. The server is running.</p>
<nav aria-label="Pages of this server">
<ul>
${links.map(({ path, name, hint }) => `<li><a href="${path.slice(1)}"><span class="name">${name}</span><span class="hint">${hint}</span></a></li>`).join('\n')}
</ul>
</nav>
</main>
</body>
</html>
`

/** Creates `/`: links to the other pages, as HTML for browsers and as JSON for programs, by `Accept`. Needs no credential. */
export const createStartPage = ({ version, hasOutbox }: StartPageDeps): Router => {
  const style = readFileSync(new URL('./assets/start-page.css', import.meta.url), 'utf8')
  const policy = [
    "default-src 'none'",
    // The one style sheet stands in the page, and its hash allows it alone.
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    'img-src data:',
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const router = Router()
  servePage(router, '/', (request, response) => {
    const links = hasOutbox(request) ? [docs, outbox, ...others] : [docs, ...others]
    response.vary('Accept')
    // JSON comes first, so programs that accept anything get it. Browsers name HTML.
    if (request.accepts(['json', 'html']) !== 'html') {
      response.json({ name: 'Flowpost', version, links: Object.fromEntries(links.map(({ key, path }) => [key, path])) })
      return
    }
    response.set({ 'Content-Security-Policy': policy, 'Cross-Origin-Opener-Policy': 'same-origin' })
    response.type('html').send(renderPage(version, style, links))
  })
  return router
}
