import { operationsOf, tagSlug } from '@flowpost/contract/reference'
import { html } from '../../../shared/html.ts'
import { renderInline } from './markdown.ts'
import { renderOperation } from './operation.ts'
import { type DocsContext, renderPage } from './page.ts'

/** Renders the page for a tag, with its operations. */
export const renderTagPage = (
  context: DocsContext,
  { name, description }: { readonly name: string; readonly description: string },
): string =>
  renderPage(context, {
    title: name,
    name: tagSlug(name),
    main: html`<h1>${name}</h1>
<p class="lead">${renderInline(description, context.root)}</p>
${operationsOf(context.api, name).map((operation) => renderOperation(context, operation))}`,
  })
