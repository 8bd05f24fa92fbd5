import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Request, Router } from 'express'
import { servePage } from './serve-page.ts'

/** The dependencies of {@link createStartPage}. */
export interface StartPageDeps {
  readonly version: string
  /** Returns whether the outbox is visible to the sender of the request. */
  readonly hasOutbox: (request: Request) => boolean
}

/** A page that the start page links to. */
interface Link {
  /** The key of the link in the JSON representation. */
  readonly key: string
  readonly path: string
  readonly name: string
  readonly hint: string
}

const docs: Link = { key: 'docs', path: '/docs', name: 'API reference', hint: 'Every operation, with samples for curl and TypeScript' }
const outbox: Link = {
  key: 'outbox',
  path: '/outbox',
  name: 'Outbox',
  hint: 'Messages captured instead of sent. The startup output shows how to open the outbox',
}
const others: readonly Link[] = [
  { key: 'openapi', path: '/openapi.json', name: 'OpenAPI document', hint: 'The API description for tools' },
  { key: 'health', path: '/readyz', name: 'Health', hint: 'Readiness of the server and its database' },
]

/** Renders the page. Its links are relative, so that the page works under a proxy's path prefix. */
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

/** Creates the public page `/`, which links to the other pages. The `Accept` header selects HTML or JSON. */
export const createStartPage = ({ version, hasOutbox }: StartPageDeps): Router => {
  const style = readFileSync(new URL('./assets/start-page.css', import.meta.url), 'utf8')
  const policy = [
    "default-src 'none'",
    // Allows only the inline style sheet of the page.
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
    // JSON is listed first, so programs that accept anything get JSON. Browsers prefer HTML in their `Accept` header.
    if (request.accepts(['json', 'html']) !== 'html') {
      response.json({ name: 'Flowpost', version, links: Object.fromEntries(links.map(({ key, path }) => [key, path])) })
      return
    }
    response.set({ 'Content-Security-Policy': policy, 'Cross-Origin-Opener-Policy': 'same-origin' })
    response.type('html').send(renderPage(version, style, links))
  })
  return router
}
