import { type ProblemCode, problemHelp, problems } from '@flowpost/contract'
import { operationsWith } from '@flowpost/contract/reference'
import type { Page } from '../page.ts'
import { codeBlock, joinParts, table } from './markdown.ts'
import { api, operationUrl } from './openapi.ts'

const codes = Object.keys(problems) as ProblemCode[]

const examples = api.document.components.examples as Readonly<Record<string, { readonly value: object }>>

const operationList = (code: ProblemCode): string => {
  const listed = operationsWith(api, code)
  if (listed.length === api.operations.length) return 'Every operation.'
  if (listed.length === 0)
    return 'No API operation returns this problem. The server returns it for other requests, such as reports that providers send to an inbound address.'
  return listed.map((operation) => `- [${operation.summary}](${operationUrl(operation)})`).join('\n')
}

const problemPage = (code: ProblemCode): Page => {
  const { status, title } = problems[code]
  const { cause, remedy } = problemHelp[code]
  const example = examples[code]?.value
  return {
    url: `/problems/${code}`,
    title: code,
    markdown: joinParts([
      // The code is the heading, so that a search for the code finds this page first.
      `# \`${code}\``,
      `${title}.`,
      table(['HTTP status', 'Type'], [[String(status), `\`urn:flowpost:problem:${code}\``]]),
      `## Cause\n\n${cause}`,
      `## Remedy\n\n${remedy}`,
      example && `## Example\n\n${codeBlock('json', JSON.stringify(example, null, 2))}`,
      `## Returned by\n\n${operationList(code)}`,
    ]),
  }
}

const overview = (): Page => {
  const title = 'Problem codes'
  return {
    url: '/reference/problems',
    title,
    markdown: joinParts([
      `# ${title}`,
      'Every error response is a problem as defined by [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457). Programs should rely on `code`. `title` and `detail` are for people and may be reworded.',
      'The `type` of a problem is `urn:flowpost:problem:` followed by its code. To read about a problem, open the page `/problems/<code>` of this documentation.',
      table(
        ['Status', 'Code', 'Meaning'],
        codes
          .toSorted((a, b) => problems[a].status - problems[b].status)
          .map((code) => [String(problems[code].status), `[\`${code}\`](/problems/${code})`, `${problems[code].title}.`]),
      ),
      'Failed deliveries have different codes; see [Failure codes](/reference/failures).',
    ]),
  }
}

/** Generates a page for each problem code with its cause and remedy, and the list of all codes. */
export const createProblemPages = (): Page[] => [overview(), ...codes.map(problemPage)]
