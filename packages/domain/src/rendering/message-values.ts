import { escapeHtml } from '../html/escape-html.ts'
import { htmlToText } from '../html/html-to-text.ts'
import type { TextType } from './content.ts'
import type { Placeholder } from './split-template.ts'

/** The texts to insert for the placeholders. */
export type InsertedValues = Readonly<Record<Placeholder, string>>

/** The subject and the message of a request in all forms that templates insert. Each form is computed once, on first use. */
export interface MessageValues {
  /** Returns the values as markup for an HTML email. */
  readonly markup: () => InsertedValues
  /** Returns the values as text. A `text/html` message is converted to plain text. */
  readonly text: () => InsertedValues
  /** Returns the values as text, escaped by a chat channel. */
  readonly escaped: (escapeValue: (value: string) => string) => InsertedValues
  /** Returns the plain-text form of the message, parsed as HTML whatever its type. */
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

/** Creates the {@link MessageValues} of a request. All of its flows share them. */
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
