import { anchorOf, operationsOf, tagSlug } from '@flowpost/contract/reference'
import { type Html, html } from '../../../shared/html.ts'
import { renderInline, renderMarkdown } from './markdown.ts'
import { type DocsContext, renderMethod, renderPage } from './page.ts'
import { renderSample } from './sample-panel.ts'

interface Described {
  readonly description: string
}

const environment = `export FLOWPOST_BASE_URL="https://flowpost.example.com"
export FLOWPOST_API_KEY="fp_..."`

const sdk = `// npm install @flowpost/client
import { createFlowpost } from '@flowpost/client'

// Reads FLOWPOST_BASE_URL and FLOWPOST_API_KEY.
const flowpost = createFlowpost()`

const renderTags = ({ api, root }: DocsContext): Html[] =>
  api.document.tags.map(({ name, description }) => {
    const page = `${root}docs/${tagSlug(name)}`
    const rows = operationsOf(api, name).map(
      (operation) =>
        html`<li><a href="${page}#${anchorOf(operation)}">${operation.summary}</a> <span class="endpoint">${renderMethod(operation.method)} <code>${operation.path}</code></span></li>`,
    )
    return html`<section class="group" aria-labelledby="${tagSlug(name)}"><h3 id="${tagSlug(name)}"><a href="${page}">${name}</a></h3><p>${renderInline(description, root)}</p><ul>${rows}</ul></section>
`
  })

const renderHeaders = ({ api, root }: DocsContext): Html =>
  html`<dl class="fields">${Object.entries(api.document.components.headers).map(
    ([name, header]) =>
      html`<div class="field" id="header-${name.toLowerCase()}"><dt><code>${name}</code></dt><dd><p>${renderInline((header as Described).description, root)}</p></dd></div>`,
  )}</dl>`

const renderSchemes = ({ api, root }: DocsContext): Html[] =>
  Object.values(api.document.components.securitySchemes).map((scheme) => renderMarkdown((scheme as Described).description, root))

/** Renders the first page: how to call the API, and a list of all operations. */
export const renderOverview = (context: DocsContext): string => {
  const { api, root } = context
  const { description } = api.document.info as Described
  return renderPage(context, {
    title: 'Overview',
    name: '',
    main: html`<section class="operation">
<h1>Flowpost API</h1>
<div class="about"><div class="prose">${renderMarkdown(description, root)}</div></div>
<div class="samples">${renderSample('Environment for the samples', { language: 'bash', code: environment })}${renderSample('TypeScript SDK', { language: 'typescript', code: sdk })}</div>
</section>
<section class="prose" aria-labelledby="authentication"><h2 id="authentication">Authentication</h2>${renderSchemes(context)}</section>
<section aria-labelledby="operations"><h2 id="operations">Operations</h2><div class="groups">${renderTags(context)}</div></section>
<section aria-labelledby="response-headers"><h2 id="response-headers">Response headers</h2>${renderHeaders(context)}</section>`,
  })
}
