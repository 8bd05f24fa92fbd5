import { type ProblemCode, problemHelp, problems } from '@flowpost/contract'
import { anchorOf, operationsWith, tagSlug } from '@flowpost/contract/reference'
import { type Html, html } from '../../../shared/html.ts'
import { renderMarkdown } from './markdown.ts'
import { type DocsContext, renderPage } from './page.ts'
import { renderSample } from './sample-panel.ts'

/** Every problem code. */
export const problemCodes = Object.keys(problems) as ProblemCode[]

const renderStatus = (code: ProblemCode): Html => html`<span class="status status-problem">${problems[code].status}</span>`

/** Renders the list of all problem codes. */
export const renderProblemList = (context: DocsContext): string =>
  renderPage(context, {
    title: 'Problem codes',
    name: 'problems',
    main: html`<h1>Problem codes</h1>
<p class="lead">Every error response is a problem as defined by RFC 9457. Programs should rely on <code>code</code>.</p>
<dl class="problems problem-list">${problemCodes
      .toSorted((a, b) => problems[a].status - problems[b].status)
      .map(
        (code) =>
          html`<div><dt>${renderStatus(code)} <a href="${context.root}docs/problems/${code}"><code>${code}</code></a></dt><dd>${problems[code].title}.</dd></div>`,
      )}</dl>`,
  })

const renderOperations = ({ api, root }: DocsContext, code: ProblemCode): Html => {
  const operations = operationsWith(api, code)
  if (operations.length === api.operations.length) return html`<p>Every operation.</p>`
  if (operations.length === 0)
    return html`<p>No API operation returns this problem. The server returns it for other requests, such as reports that providers send to an inbound address.</p>`
  return html`<ul>${operations.map(
    (operation) => html`<li><a href="${root}docs/${tagSlug(operation.tags[0] ?? '')}#${anchorOf(operation)}">${operation.summary}</a></li>`,
  )}</ul>`
}

/** Renders the page of a problem: its cause, its remedy, an example, and the operations that return it. */
export const renderProblemPage = (context: DocsContext, code: ProblemCode): string => {
  const { cause, remedy } = problemHelp[code]
  const example = (context.api.document.components.examples[code] as { readonly value: object } | undefined)?.value
  return renderPage(context, {
    title: code,
    name: `problems/${code}`,
    main: html`<section class="operation">
<h1><code>${code}</code></h1>
<div class="about prose">
<p>${renderStatus(code)} ${problems[code].title}.</p>
<h2>Cause</h2>${renderMarkdown(cause, context.root)}
<h2>Remedy</h2>${renderMarkdown(remedy, context.root)}
<h2>Returned by</h2>${renderOperations(context, code)}
</div>
<div class="samples">${example && renderSample(`Response ${problems[code].status}`, { language: 'json', code: JSON.stringify(example, null, 2) })}</div>
</section>`,
  })
}
