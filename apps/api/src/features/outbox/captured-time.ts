import { type Html, html } from './html.ts'

const shown = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

/** An instant for a reader whose time zone is not known: in UTC, and saying so. */
export const capturedTime = (at: Date): Html => html`<time datetime="${at.toISOString()}">${shown.format(at)} UTC</time>`
