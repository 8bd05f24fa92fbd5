import {
  anchorOf,
  bodyOf,
  curlSample,
  exampleOf,
  type Operation,
  problemsOf,
  type Success,
  successesOf,
} from '@flowpost/contract/reference'
import { type Html, html } from '../../../shared/html.ts'
import { renderFields, renderParameters } from './field-list.ts'
import { renderMarkdown } from './markdown.ts'
import { type DocsContext, renderMethod } from './page.ts'
import { renderRequest, renderSample, type Sample } from './sample-panel.ts'

const places = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Headers'],
] as const

const renderPlaces = ({ api, root }: DocsContext, operation: Operation): Html[] =>
  places.flatMap(([place, title]) => {
    const parameters = operation.parameters.filter((parameter) => parameter.in === place)
    if (parameters.length === 0) return []
    return [html`<h3 id="${anchorOf(operation)}-${place}">${title}</h3>${renderParameters(api, root, parameters)}`]
  })

const renderHeaderLinks = (root: string, headers: readonly string[]): Html =>
  html`<p class="response-headers">Headers: ${headers.map(
    (name, index) => html`${index > 0 && ', '}<a href="${root}docs#header-${name.toLowerCase()}"><code>${name}</code></a>`,
  )}</p>`

const renderSuccess = ({ api, root }: DocsContext, { status, statusText, description, headers, schema }: Success): Html =>
  html`<div class="response"><p><span class="status status-success">${status}</span> ${schema ? `${statusText}.` : description}</p>${renderHeaderLinks(root, headers)}${
    schema && html`<details><summary>Fields of the ${status} response</summary>${renderFields(api, root, schema, 'response')}</details>`
  }</div>`

const renderProblems = (root: string, operation: Operation): Html =>
  html`<dl class="problems">${problemsOf(operation).map(
    ([status, codes]) =>
      html`<div><dt><span class="status status-problem">${status}</span></dt><dd>${codes.map(
        (code) => html`<a href="${root}docs/problems/${code}"><code>${code}</code></a> `,
      )}</dd></div>`,
  )}</dl>`

const renderSamples = ({ api, sdkExamples }: DocsContext, operation: Operation): Html => {
  const typescript = sdkExamples.get(operation.operationId)
  const requests: Sample[] = [{ language: 'bash', code: curlSample(api, operation) }]
  if (typescript !== undefined) requests.push({ language: 'typescript', code: typescript })
  const responses = successesOf(operation).flatMap(({ status, statusText, schema }) =>
    schema
      ? [renderSample(`Response ${status} ${statusText}`, { language: 'json', code: JSON.stringify(exampleOf(api, schema), null, 2) })]
      : [],
  )
  return html`<div class="samples">${renderRequest(operation.summary, requests)}${responses}</div>`
}

/** Renders an operation: its description, parameters, body and responses, with samples beside them. */
export const renderOperation = (context: DocsContext, operation: Operation): Html => {
  const { api, root } = context
  const anchor = anchorOf(operation)
  const body = bodyOf(operation)
  return html`<section class="operation" id="${anchor}" aria-labelledby="${anchor}-title">
<h2 id="${anchor}-title">${operation.summary} <a class="anchor" href="#${anchor}" aria-label="Link to ${operation.summary}">#</a></h2>
<div class="about">
<p class="endpoint">${renderMethod(operation.method)} <code>${operation.path}</code></p>
<div class="prose">${renderMarkdown(operation.description, root)}</div>
${renderPlaces(context, operation)}
${body && html`<h3 id="${anchor}-body">Body</h3>${renderFields(api, root, body, 'request')}`}
<h3 id="${anchor}-response">Responses</h3>
${successesOf(operation).map((success) => renderSuccess(context, success))}
<h3 id="${anchor}-problems">Problems</h3>
${renderProblems(root, operation)}
</div>
${renderSamples(context, operation)}
</section>
`
}
