import {
  anchorOf,
  bodyOf,
  curlSample,
  exampleOf,
  type Operation,
  operationsOf,
  problemsOf,
  successesOf,
} from '@flowpost/contract/reference'
import type { Page } from '../page.ts'
import { describe, fieldTable, typeCell } from './fields.ts'
import { codeBlock, joinParts, table } from './markdown.ts'
import { api, operationUrl, tagUrl } from './openapi.ts'
import { typeScriptSample } from './samples.ts'

const { info, tags } = api.document

const places = { path: 'Path', query: 'Query', header: 'Header' } as const

const parameterTable = ({ parameters }: Operation): string =>
  table(
    ['Name', 'In', 'Type', 'Description'],
    parameters.map((parameter) => [
      `\`${parameter.name}\`${parameter.required ? ' <Badge type="warning" text="required" />' : ''}`,
      places[parameter.in],
      typeCell(parameter.schema),
      describe({ ...parameter.schema, ...(parameter.description === undefined ? {} : { description: parameter.description }) }),
    ]),
  )

const samples = (operation: Operation): string => {
  const curl = `\`\`\`sh [curl]\n${curlSample(api, operation)}\n\`\`\``
  const typeScript = typeScriptSample(operation)
  const blocks = typeScript === undefined ? [curl] : [curl, `\`\`\`ts [TypeScript]\n${typeScript}\n\`\`\``]
  return `::: code-group\n\n${blocks.join('\n\n')}\n\n:::`
}

const successes = (operation: Operation): string =>
  joinParts(
    successesOf(operation).map(({ status, statusText, description, schema }) => {
      const heading = `**${status} ${statusText}**${schema ? '' : ` – ${description}`}`
      if (!schema) return heading
      return joinParts([
        heading,
        codeBlock('json', JSON.stringify(exampleOf(api, schema), null, 2)),
        `::: details Fields of the response\n\n${fieldTable(schema, 'response')}\n:::`,
      ])
    }),
  )

const problems = (operation: Operation): string =>
  table(
    ['Status', 'Problem codes'],
    problemsOf(operation).map(([status, codes]) => [status, codes.map((code) => `[\`${code}\`](/problems/${code})`).join(', ')]),
  )

const describeOperation = (operation: Operation): string => {
  const body = bodyOf(operation)
  const parameters = parameterTable(operation)
  return joinParts([
    `## ${operation.summary} {#${anchorOf(operation)}}`,
    `<div class="endpoint"><span class="method method-${operation.method.toLowerCase()}">${operation.method}</span> <code v-pre>${operation.path}</code></div>`,
    operation.description,
    samples(operation),
    parameters && `### Parameters {#${anchorOf(operation)}-parameters}\n\n${parameters}`,
    body && `### Body {#${anchorOf(operation)}-body}\n\n${fieldTable(body, 'request')}`,
    `### Response {#${anchorOf(operation)}-response}\n\n${successes(operation)}`,
    `### Problems {#${anchorOf(operation)}-problems}\n\n${problems(operation)}`,
  ])
}

const overview = (): Page => {
  const groups = tags.map(({ name, description }) => {
    const rows = operationsOf(api, name).map((operation) => [
      `[${operation.summary}](${operationUrl(operation)})`,
      `\`${operation.method} ${operation.path}\``,
    ])
    return `## ${name}\n\n${description}\n\n${table(['Operation', 'Request'], rows)}`
  })
  const title = 'API overview'
  const introduction = (info as { description: string }).description
  const note =
    'This reference is generated from the OpenAPI document, which every server provides at `/openapi.json`. A server also shows the reference for its version, at `/docs`. The curl commands need `FLOWPOST_BASE_URL` and `FLOWPOST_API_KEY` in the environment; [Get started](/get-started) sets them. The TypeScript examples use the [SDK](/reference/sdk).'
  return { url: '/reference/api/', title, markdown: joinParts([`# ${title}`, introduction, note, ...groups]) }
}

/** Generates the reference for the HTTP API: an overview, and a page for each tag. */
export const createApiPages = (): Page[] => [
  overview(),
  ...tags.map(({ name, description }) => ({
    url: tagUrl(name),
    title: name,
    outline: 2,
    markdown: joinParts([`# ${name}`, description, ...operationsOf(api, name).map(describeOperation)]),
  })),
]
