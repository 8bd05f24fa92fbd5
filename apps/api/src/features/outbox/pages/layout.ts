import { type Html, html, renderHtml } from '../../../shared/html.ts'
import type { Assets } from '../assets.ts'
import type { CapturedMessageKind } from '../outbox.queries.ts'

/** The outbox's address and static files, for use in its pages. */
export interface PageContext {
  /** The path of the outbox without a trailing slash, such as `/outbox`. */
  readonly basePath: string
  /** The scheme and host of the request, for commands that readers copy from a page. */
  readonly origin: string
  readonly assets: Assets
}

/** The content of a page. */
export interface PageContent {
  /** The browser tab title, without the product name that follows it. */
  readonly title: string
  /** The target of the "Refresh" link. If absent, the page has no such link. */
  readonly refreshPath?: string | undefined
  readonly main: Html
}

const assetPath = (context: PageContext, name: string): string => `${context.basePath}/assets/${name}`

/** Renders a page: head, skip link, banner and main landmark. */
export const renderPage = (context: PageContext, { title, refreshPath, main }: PageContent): string =>
  renderHtml(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Flowpost</title>
<link rel="icon" type="image/svg+xml" href="${assetPath(context, context.assets.icon)}">
<link rel="stylesheet" href="${assetPath(context, context.assets.stylesheet)}">
<script defer src="${assetPath(context, context.assets.script)}"></script>
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

/** Renders a page with an explanation and a button that opens the list of captured messages. */
export const renderNotice = (context: PageContext, heading: string, explanation: string, action = 'All captured messages'): string =>
  renderPage(context, {
    title: heading,
    main: html`<div class="notice">
<h1>${heading}</h1>
<p>${explanation}</p>
<p><a class="button" href="${context.basePath}/">${action}</a></p>
</div>`,
  })

const shapes: Readonly<Record<CapturedMessageKind, Html>> = {
  email: html`<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m3 8 9 6 9-6"/>`,
  chat: html`<path d="M4 5h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1h-9l-5 4v-4H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1z"/>`,
}

const labels: Readonly<Record<CapturedMessageKind, string>> = { email: 'Email', chat: 'Chat message' }

/** Renders the icon for a kind of message, with a label for screen readers. */
export const renderKindIcon = (kind: CapturedMessageKind): Html =>
  html`<svg class="kind-icon" role="img" aria-label="${labels[kind]}" viewBox="0 0 24 24">${shapes[kind]}</svg>`

const timeFormat = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

/** Renders a time in UTC, because the reader's time zone is unknown. */
export const renderTime = (at: Date): Html => html`<time datetime="${at.toISOString()}">${timeFormat.format(at)} UTC</time>`
