import { type Html, html } from '../../../shared/html.ts'
import { renderFirstMessage } from '../first-message.ts'
import type { CapturedMessageSummary, OutboxPage } from '../outbox.queries.ts'
import { type PageContext, renderKindIcon, renderPage, renderTime } from './layout.ts'
import { type ListQuery, listPath, newerQuery, olderQuery } from './list-query.ts'
import { visibleSubject } from './message-content.ts'

const renderRow = (context: PageContext, message: CapturedMessageSummary): Html => html`<li class="message">
${renderKindIcon(message.kind)}
<h2 class="message-subject"><a id="${message.id}" href="${context.basePath}/${message.id}" dir="auto">${visibleSubject(message.subject)}</a></h2>
<p class="message-target"><span class="label">To</span> <bdi>${message.target}</bdi></p>
<p class="message-origin"><span><span class="label">Project</span> <code>${message.projectId}</code></span> <span><span class="label">Flow</span> <code>${message.flowId}</code></span></p>
<p class="message-provider"><a class="badge" id="${message.id}-provider" href="${listPath(context.basePath, { newer: [], sourceType: message.sourceType })}"><span class="visually-hidden">Only </span>${message.sourceType}</a></p>
<p class="message-time">${renderTime(message.capturedAt)}</p>
</li>
`

const renderEmptyList = (context: PageContext, { before, sourceType }: ListQuery): Html => {
  if (before !== undefined) return html`<p class="notice">There are no older messages.</p>`
  if (sourceType !== undefined) return html`<p class="notice">No messages for <strong>${sourceType}</strong> have been captured yet.</p>`
  return renderFirstMessage(context.origin)
}

const renderPager = (context: PageContext, query: ListQuery, nextBefore: string | null): Html | false => {
  if (query.before === undefined && nextBefore === null) return false
  const link = (to: ListQuery, relation: string, label: string) =>
    html`<a class="button" id="${relation}-page" rel="${relation}" href="${listPath(context.basePath, to)}">${label}</a>`
  return html`<nav class="pager" aria-label="Pages">
${query.before !== undefined && link({ ...query, before: undefined, newer: [] }, 'first', 'Newest')}
${query.before !== undefined && link(newerQuery(query), 'prev', '← Newer')}
${nextBefore !== null && link(olderQuery(query, nextBefore), 'next', 'Older →')}
</nav>`
}

/** Renders the list of captured messages, newest first, or a notice if the list is empty. */
export const renderListPage = (context: PageContext, query: ListQuery, { messages, nextBefore }: OutboxPage): string =>
  renderPage(context, {
    title: 'Outbox',
    refreshPath: listPath(context.basePath, query),
    main: html`<div class="page-head">
<h1>Captured messages</h1>
${
  query.sourceType !== undefined &&
  html`<p class="filter">Only <strong>${query.sourceType}</strong> <a href="${listPath(context.basePath, { newer: [] })}">Show all</a></p>`
}
${query.before === undefined && html`<p class="live" id="live" role="status"></p>`}
</div>
<div id="messages">
${
  messages.length === 0
    ? renderEmptyList(context, query)
    : html`<ol class="messages" role="list">
${messages.map((message) => renderRow(context, message))}</ol>`
}
${renderPager(context, query, nextBefore)}
</div>`,
  })
