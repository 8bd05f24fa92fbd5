import type { TextType } from './content.ts'
import { escapeHtml } from './escape-html.ts'
import { htmlToText } from './html-to-text.ts'
import type { Placeholder } from './split-template.ts'

/** What is inserted for each placeholder. */
export type InsertedValues = Readonly<Record<Placeholder, string>>

/** The subject and the message of a request in the forms that templates insert. Each form is made once, when it is needed. */
export interface MessageValues {
  /** As markup for an HTML email. */
  readonly markup: () => InsertedValues
  /** As text: verbatim, and a `text/html` message in its plain-text form. */
  readonly text: () => InsertedValues
  /** As text, escaped by the rule of a chat channel. */
  readonly escaped: (rule: (value: string) => string) => InsertedValues
  /** The plain-text form of the message, read as HTML whatever its type. */
  readonly messageAsText: () => string
}

const lineBreak = /\r\n|\r|\n/g

const once = <Value>(make: () => Value): (() => Value) => {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Makes the {@link MessageValues} of a request, which any number of flows share. */
export const createMessageValues = (request: {
  readonly subject: string
  readonly message: string
  readonly messageType: TextType
}): MessageValues => {
  const { subject, message, messageType } = request
  const messageAsText = once(() => htmlToText(message))
  const asMarkup = (value: string) => escapeHtml(value).replace(lineBreak, '<br>')
  const markup = once(() => ({ subject: asMarkup(subject), message: messageType === 'text/html' ? message : asMarkup(message) }))
  const text = once(() => ({ subject, message: messageType === 'text/html' ? messageAsText() : message }))
  const byRule = new Map<(value: string) => string, InsertedValues>()
  return {
    markup,
    text,
    escaped: (rule) => {
      const known = byRule.get(rule)
      if (known) return known
      const values = { subject: rule(subject), message: rule(text().message) }
      byRule.set(rule, values)
      return values
    },
    messageAsText,
  }
}
