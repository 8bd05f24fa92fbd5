import { type Html, html } from './html.ts'
import type { CapturedMessageKind } from './outbox.store.ts'

const shapes: Readonly<Record<CapturedMessageKind, Html>> = {
  email: html`<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m3 8 9 6 9-6"/>`,
  chat: html`<path d="M4 5h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1h-9l-5 4v-4H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1z"/>`,
}

const names: Readonly<Record<CapturedMessageKind, string>> = { email: 'Email', chat: 'Chat message' }

/** A picture of the kind of message, with a name for those who do not see it. */
export const kindIcon = (kind: CapturedMessageKind): Html =>
  html`<svg class="kind-icon" role="img" aria-label="${names[kind]}" viewBox="0 0 24 24">${shapes[kind]}</svg>`
