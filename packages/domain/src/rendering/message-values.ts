import { escapeHtml } from '../html/escape-html.ts'
import { htmlToText } from '../html/html-to-text.ts'
import type { TextType } from './content.ts'
import type { Placeholder } from './split-template.ts'

/** The text that replaces each placeholder in a template. */
export type InsertedValues = Readonly<Record<Placeholder, string>>

/**
 * The subject and message of a request, in each form that a template can need. A form is computed when it is first used, and
 * then cached.
 */
export interface MessageValues {
  /** Returns the values as HTML, for an HTML email. */
  readonly markup: () => InsertedValues
  /** Returns the values as plain text. A `text/html` message is converted. */
  readonly text: () => InsertedValues
  /** Returns the plain-text values, escaped with a chat channel's `escape` function. */
  readonly escaped: (escapeValue: (value: string) => string) => InsertedValues
  /**
   * Parses the message as HTML, even if its type is `text/plain`, and returns its plain text. An HTML email that contains
   * only the unmodified message has this plain text as its text alternative.
   */
  readonly messageAsText: () => string
}

const lineBreak = /\r\n|\r|\n/g

const memoize = <Value>(compute: () => Value): (() => Value) => {
  let cached: { readonly value: Value } | undefined
  return () => {
    cached ??= { value: compute() }
    return cached.value
  }
}

/** Creates the {@link MessageValues} of a request. All flows that the request triggers share them. */
export const createMessageValues = (request: {
  readonly subject: string
  readonly message: string
  readonly messageType: TextType
}): MessageValues => {
  const { subject, message, messageType } = request
  const messageAsText = memoize(() => htmlToText(message))
  const toMarkup = (value: string) => escapeHtml(value).replace(lineBreak, '<br>')
  const markup = memoize(() => ({ subject: toMarkup(subject), message: messageType === 'text/html' ? message : toMarkup(message) }))
  const text = memoize(() => ({ subject, message: messageType === 'text/html' ? messageAsText() : message }))
  const cache = new Map<(value: string) => string, InsertedValues>()
  return {
    markup,
    text,
    escaped: (escapeValue) => {
      const cached = cache.get(escapeValue)
      if (cached) return cached
      const values = { subject: escapeValue(subject), message: escapeValue(text().message) }
      cache.set(escapeValue, values)
      return values
    },
    messageAsText,
  }
}
