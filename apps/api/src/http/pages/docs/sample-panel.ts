import { type Html, html } from '../../../shared/html.ts'
import { highlight, type Language } from './highlight.ts'

/** A piece of code to show. */
export interface Sample {
  readonly language: Language
  readonly code: string
}

const names = { bash: 'curl', json: 'JSON', typescript: 'TypeScript' } as const

// The code can be scrolled with the keyboard, so it must be focusable.
const block = ({ language, code }: Sample, label: string): Html =>
  html`<pre tabindex="0" role="group" aria-label="${label}" data-language="${language}"><code>${highlight(language, code)}</code></pre>`

const copyButton = html`<button type="button" class="copy script-only">Copy</button>`

/** Renders one sample with a title and a button that copies it. */
export const renderSample = (title: string, sample: Sample): Html =>
  html`<div class="panel"><div class="panel-bar"><span class="panel-title">${title}</span>${copyButton}</div>${block(sample, title)}</div>`

/**
 * Renders a request in several languages. The reader's choice of language applies to all samples on all pages. Without
 * scripts, all languages are visible.
 */
export const renderRequest = (subject: string, samples: readonly Sample[]): Html => {
  const buttons = samples.map(
    ({ language }) => html`<button type="button" data-select-language="${language}" aria-pressed="false">${names[language]}</button>`,
  )
  const blocks = samples.map((sample) => block(sample, `${names[sample.language]}: ${subject}`))
  return html`<div class="panel${samples.length > 1 && ' languages'}"><div class="panel-bar"><span class="panel-title">Request</span>${
    samples.length > 1 && html`<span class="language-buttons script-only" role="group" aria-label="Language">${buttons}</span>`
  }${copyButton}</div>${blocks}</div>`
}
