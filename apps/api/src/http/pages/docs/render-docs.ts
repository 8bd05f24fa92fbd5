import type { OpenApiDocument } from '@flowpost/contract'
import { describeApi, parseSdkExamples, tagSlug } from '@flowpost/contract/reference'
import { renderOverview } from './overview-page.ts'
import type { DocsContext } from './page.ts'
import { problemCodes, renderProblemList, renderProblemPage } from './problem-pages.ts'
import { renderTagPage } from './tag-page.ts'

/** The inputs for rendering the API reference. */
export interface DocsSources {
  readonly document: OpenApiDocument
  /** The Markdown of the SDK's method reference, which has an example for each operation. */
  readonly methodReference: string
  readonly assets: DocsContext['assets']
}

/**
 * Renders the page with the given name, such as `flows` or `problems/not_found`. The name of the first page is empty.
 * Returns `undefined` if there is no such page.
 * @param root The relative URL of the server's root, such as `../`.
 */
export type RenderDocsPage = (name: string, root: string) => string | undefined

/** Creates a function that renders the pages of the API reference. */
export const createDocsRenderer = ({ document, methodReference, assets }: DocsSources): RenderDocsPage => {
  const { version } = document.info as { readonly version: string }
  const common = { api: describeApi(document), version, sdkExamples: parseSdkExamples(methodReference), assets }
  const pages = new Map<string, (context: DocsContext) => string>([
    ['', renderOverview],
    ['problems', renderProblemList],
    ...document.tags.map((tag) => [tagSlug(tag.name), (context: DocsContext) => renderTagPage(context, tag)] as const),
    ...problemCodes.map((code) => [`problems/${code}`, (context: DocsContext) => renderProblemPage(context, code)] as const),
  ])
  return (name, root) => pages.get(name)?.({ ...common, root })
}
