import type { CapturedMessage } from './outbox.store.ts'

/** The ways to look at a message; each is the last part of an address. */
export type MessageView = 'html' | 'text' | 'headers' | 'source'

/** The views that a message has something to show in, the one to open first at the front. */
export const messageViews = (message: CapturedMessage): readonly [MessageView, ...MessageView[]] => {
  const views: MessageView[] = []
  if (message.kind === 'email' && message.html !== null) views.push('html')
  if (message.text !== null) views.push('text')
  if (message.kind === 'email') views.push('headers')
  const [first, ...rest] = views
  return first === undefined ? ['source'] : [first, ...rest, 'source']
}

/** What the tab of a view says. */
export const viewLabel = (view: MessageView, message: CapturedMessage): string =>
  ({ html: 'HTML', text: 'Text', headers: 'Headers', source: message.kind === 'chat' ? 'JSON source' : 'Source' })[view]
