import { type ApiDescription, anchorOf, operationsOf, tagSlug } from '@flowpost/contract/reference'
import { type Html, html, renderHtml } from '../../../shared/html.ts'

/** The data from which the pages are rendered. */
export interface DocsContext {
  readonly api: ApiDescription
  readonly version: string
  /** The SDK examples, keyed by operation id. */
  readonly sdkExamples: ReadonlyMap<string, string>
  /**
   * The relative URL of the server's root, such as `../`. Links are relative, so that pages work under a proxy's path
   * prefix.
   */
  readonly root: string
  /** The URLs of the assets, relative to the root. */
  readonly assets: { readonly style: string; readonly theme: string; readonly script: string }
}

/** The parts that differ between pages. */
export interface PageContent {
  readonly title: string
  /** The part of the page's URL after `docs/`: a tag's slug, `problems` or `problems/<code>`. Empty for the first page. */
  readonly name: string
  readonly main: Html
}

/** Renders the HTTP method of an operation as a badge. */
export const renderMethod = (method: string): Html => html`<span class="method method-${method.toLowerCase()}">${method}</span>`

const renderTag = ({ api, root }: DocsContext, tag: string, shown: string): Html => {
  const slug = tagSlug(tag)
  const isShown = slug === shown
  const items = operationsOf(api, tag).map((operation) => {
    const words = `${operation.summary} ${operation.method} ${operation.path} ${operation.operationId} ${tag}`.toLowerCase()
    return html`<li data-words="${words}"><a href="${isShown ? '' : `${root}docs/${slug}`}#${anchorOf(operation)}"><span>${operation.summary}</span>${renderMethod(operation.method)}</a></li>`
  })
  return html`<details class="tag"${isShown && html` open`}><summary>${tag}</summary><ul>${items}</ul></details>
`
}

const renderNavigation = (context: DocsContext, shown: string): Html => {
  const link = (name: string, text: string) =>
    html`<a class="nav-page" href="${context.root}docs${name === '' ? '' : `/${name}`}"${name === shown && html` aria-current="page"`}>${text}</a>`
  return html`<nav id="navigation" aria-label="API reference">
<div class="search script-only"><label class="visually-hidden" for="search">Filter operations</label><input id="search" type="search" placeholder="Filter operations" autocomplete="off" spellcheck="false" aria-describedby="search-result"><kbd aria-hidden="true">/</kbd><p id="search-result" class="visually-hidden" role="status"></p></div>
${link('', 'Overview')}
${context.api.document.tags.map(({ name }) => renderTag(context, name, shown))}
${link('problems', 'Problem codes')}
</nav>`
}

/** Renders a page of the reference: head, banner, navigation and main landmark. */
export const renderPage = (context: DocsContext, { title, name, main }: PageContent): string => {
  const { root, assets, version } = context
  return renderHtml(html`<!doctype html>
<html lang="en" data-root="${root === '' ? './' : root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Flowpost API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}${assets.style}">
<script src="${root}${assets.theme}"></script>
<script src="${root}${assets.script}" defer></script>
</head>
<body>
<a class="skip-link" href="#main">Skip to content</a>
<header class="banner">
<button type="button" id="menu" class="script-only" aria-expanded="false" aria-controls="navigation">Menu</button>
<a class="brand" href="${root}docs">Flowpost <span>API ${version}</span></a>
<a class="banner-link" href="${root}openapi.json">OpenAPI</a>
<button type="button" id="theme" class="script-only" aria-pressed="false">Dark</button>
</header>
<div class="columns">
${renderNavigation(context, name)}
<main id="main" tabindex="-1">
${main}
</main>
</div>
</body>
</html>
`)
}
