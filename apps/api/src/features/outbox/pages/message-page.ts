import { type Html, html } from '../../../shared/html.ts'
import type { CapturedMessage } from '../outbox.queries.ts'
import { type PageContext, renderKindIcon, renderPage, renderTime } from './layout.ts'
import { indentedJson, linkedText, visibleControls, visibleSubject } from './message-content.ts'

/** A view of a message. The value is also the last segment of the view's path. */
export type MessageView = 'html' | 'text' | 'headers' | 'source'

/** Returns the views that a message has content for, the default view first. */
export const messageViews = (message: CapturedMessage): readonly [MessageView, ...MessageView[]] => {
  const views: MessageView[] = []
  if (message.kind === 'email' && message.html !== null) views.push('html')
  if (message.text !== null) views.push('text')
  if (message.kind === 'email') views.push('headers')
  const [first, ...rest] = views
  return first === undefined ? ['source'] : [first, ...rest, 'source']
}

/** Returns the label of a view's tab. */
const viewLabel = (view: MessageView, message: CapturedMessage): string =>
  ({ html: 'HTML', text: 'Text', headers: 'Headers', source: message.kind === 'chat' ? 'JSON source' : 'Source' })[view]

/** Returns the file type of a message's source. */
export const sourceFileOf = ({ kind, raw }: CapturedMessage): { readonly type: string; readonly extension: string } => {
  if (kind === 'chat') return { type: 'application/json', extension: 'json' }
  // A message for Mailgun is stored as form fields instead of an email, and no mail program can open form fields.
  const isEmail = /^[\w-]+:/.test(raw)
  return isEmail ? { type: 'message/rfc822', extension: 'eml' } : { type: 'text/plain', extension: 'txt' }
}

// The HTML parser drops a line break right after <pre>, so the template adds one.
const block = (label: string, content: Html | string): Html =>
  html`<pre class="block" tabindex="0" role="region" aria-label="${label}" dir="auto">
${content}</pre>`

const htmlPanel = (
  path: string,
  message: CapturedMessage,
): Html => html`<div class="frame"><iframe sandbox="" referrerpolicy="no-referrer" src="${path}/frame" title="The message as HTML"></iframe></div>
<p class="hint">Scripts, links and remote images are off in this view.${message.text !== null && html` Follow links in the <a href="${path}/text">text view</a>.`} <a href="${path}/frame">Open without the frame</a></p>`

const textPanel = (message: CapturedMessage): Html => {
  const text = linkedText(message.text ?? '')
  if (message.kind === 'email') return block('Text of the message', text)
  return html`<div class="chat">
<p class="chat-channel"><span class="label">Channel</span> <bdi>${message.target}</bdi></p>
<div class="chat-message">
<span class="chat-avatar" aria-hidden="true">F</span>
<div><p class="chat-author">Flowpost <span class="chat-app">App</span> ${renderTime(message.capturedAt)}</p>
<p class="chat-text" dir="auto">${text}</p></div>
</div>
</div>`
}

const headersPanel = (message: CapturedMessage): Html =>
  message.headers.length === 0
    ? html`<p class="hint">The message has no header fields.</p>`
    : html`<div class="headers" tabindex="0" role="region" aria-label="Header fields"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Value</th></tr></thead>
<tbody>
${message.headers.map(
  ([name, value]) => html`<tr><th scope="row"><bdi>${visibleControls(name)}</bdi></th><td><bdi>${visibleControls(value)}</bdi></td></tr>
`,
)}</tbody>
</table></div>`

const sourcePanel = (path: string, message: CapturedMessage): Html => {
  const source = message.kind === 'chat' ? indentedJson(message.raw) : message.raw
  return html`<p class="hint"><a href="${path}/raw" download>Download .${sourceFileOf(message).extension}</a></p>
${block('Source of the message', visibleControls(source))}`
}

const panel = (path: string, message: CapturedMessage, view: MessageView): Html => {
  if (view === 'html') return htmlPanel(path, message)
  if (view === 'text') return textPanel(message)
  if (view === 'headers') return headersPanel(message)
  return sourcePanel(path, message)
}

const fact = (name: string, value: Html | string | undefined): Html | false =>
  value !== undefined &&
  html`<div><dt>${name}</dt><dd>${value}</dd></div>
`

const senderOf = (message: CapturedMessage): Html | undefined => {
  const field = message.headers.find(([name]) => name.toLowerCase() === 'from')
  return field && html`<bdi>${visibleControls(field[1])}</bdi>`
}

/** Renders the page for a captured message, in the given view. */
export const renderMessagePage = (context: PageContext, message: CapturedMessage, view: MessageView): string => {
  const path = `${context.basePath}/${message.id}`
  const subject = visibleSubject(message.subject)
  return renderPage(context, {
    title: `${subject} · Outbox`,
    main: html`<nav class="trail" aria-label="Back"><a href="${context.basePath}/">← Captured messages</a></nav>
<div class="message-head">
<h1>${renderKindIcon(message.kind)}<span dir="auto">${subject}</span></h1>
<div class="facts">
<dl>
${fact('From', senderOf(message))}${fact('To', html`<bdi>${message.target}</bdi>`)}${fact('Captured', renderTime(message.capturedAt))}${fact('Provider', html`<span class="badge">${message.sourceType}</span>`)}</dl>
<dl>
${fact('Delivery', html`<code>${message.id}</code>`)}${fact('Notification', html`<code>${message.notificationId}</code>`)}${fact('Project', html`<code>${message.projectId}</code>`)}${fact('Flow', html`<code>${message.flowId}</code>`)}</dl>
</div>
</div>
<div class="viewer">
<nav class="tabs" aria-label="Views of the message">
${messageViews(message).map(
  (option) => html`<a href="${path}/${option}"${option === view && html` aria-current="page"`}>${viewLabel(option, message)}</a>
`,
)}</nav>
<section class="panel" aria-labelledby="view">
<h2 class="visually-hidden" id="view">${viewLabel(view, message)}</h2>
${panel(path, message, view)}
</section>
</div>`,
  })
}
