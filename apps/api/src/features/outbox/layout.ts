import type { Assets } from './assets.ts'
import { type Html, html, renderHtml } from './html.ts'

/** What every page needs to know of where it is served. */
export interface PageContext {
  /** The path that the outbox is mounted at, without a slash at its end, as in `/outbox`. */
  readonly basePath: string
  /** Scheme and host that the reader used, for commands to copy. */
  readonly origin: string
  readonly assets: Assets
}

/** What differs between pages. */
export interface PageContent {
  /** Names the page in the browser's tab, before the name of the product. */
  readonly title: string
  /** Where "Refresh" leads; left out where there is nothing to refresh. */
  readonly refreshPath?: string | undefined
  readonly main: Html
}

const asset = (context: PageContext, name: string): string => `${context.basePath}/assets/${name}`

/** A whole page: head, skip link, banner and main landmark. */
export const renderPage = (context: PageContext, { title, refreshPath, main }: PageContent): string =>
  renderHtml(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Flowpost</title>
<link rel="icon" type="image/svg+xml" href="${asset(context, context.assets.icon)}">
<link rel="stylesheet" href="${asset(context, context.assets.stylesheet)}">
<script defer src="${asset(context, context.assets.script)}"></script>
</head>
<body>
<a class="skip-link" href="#main">Skip to content</a>
<header class="banner">
<a class="brand" href="${context.basePath}/"><svg aria-hidden="true" viewBox="0 0 24 24"><path d="M3 12 21 4l-5 16-4-6z"/><path d="m12 14 9-10"/></svg>Flowpost <span class="brand-part">Outbox</span></a>
<nav class="banner-links" aria-label="Outbox">
${refreshPath !== undefined && html`<a href="${refreshPath}">Refresh</a>`}
<a href="/docs">API docs</a>
</nav>
</header>
<main id="main" tabindex="-1">
${main}
</main>
</body>
</html>
`)

/** A page that says in plain words why there is nothing to see, with a button that leads to the list. */
export const renderNotice = (context: PageContext, heading: string, explanation: string, action = 'All captured messages'): string =>
  renderPage(context, {
    title: heading,
    main: html`<div class="notice">
<h1>${heading}</h1>
<p>${explanation}</p>
<p><a class="button" href="${context.basePath}/">${action}</a></p>
</div>`,
  })
