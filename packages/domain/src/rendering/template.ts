import type { Channel } from '../channels/channel.ts'
import { htmlToText } from '../html/html-to-text.ts'
import { exceedsByteLimit, getMaxRenderedUnits, maxRenderedBytes, type RenderedContent, type TextType } from './content.ts'
import { createMessageValues, type InsertedValues, type MessageValues } from './message-values.ts'
import { type SplitTemplate, splitTemplate } from './split-template.ts'

/** The template that sends a message unmodified. */
export const unmodifiedTemplate = '{{message}}'

/** The input of {@link renderMessage}: the template of a flow and the values of a request. */
export interface MessageParts {
  readonly template: string
  readonly templateType: TextType
  readonly subject: string
  readonly message: string
  readonly messageType: TextType
}

/**
 * Renders a message for a channel. The rules:
 *
 * - `{{subject}}` and `{{message}}` are replaced in one pass. Placeholders within a value are not expanded.
 * - A template of exactly `{{message}}` sends the message unmodified: nothing is escaped, whatever `messageType` is.
 * - In any other template, values are escaped for their context. An HTML email escapes them and converts line breaks to
 *   `<br>`; a plain email inserts them unchanged; a chat escapes them with `channel.escape`.
 * - A `text/html` message is inserted as markup into an HTML email, and converted to plain text elsewhere.
 * - In a `text/plain` template, the two characters `\n` are a line break. In values they are not.
 * - Only email renders `text/html`. On a chat, the markup of the template is sent as plain text.
 * - An HTML email has a text alternative: the plain text of its template and values. It is empty if the HTML exceeds the
 *   limit of the channel. The subject is always a single line.
 *
 * Never throws. A template can repeat a long message, so rendering stops far above the limits of the channel or the request.
 * {@link findContentIssues} or the planner then rejects the content. Always run both checks before sending.
 *
 * Markup is not sanitized. It is trusted, because the users who write templates and send messages are.
 * @param split The split template, if already computed.
 * @param values The values of the request, if shared between templates.
 */
export const renderMessage = (
  parts: MessageParts,
  channel: Pick<Channel, 'kind' | 'escape' | 'limits'>,
  split: SplitTemplate = splitTemplate(parts.template, parts.templateType),
  values: MessageValues = createMessageValues(parts),
): RenderedContent => {
  const isHtml = parts.templateType === 'text/html' && channel.kind === 'email'
  const subject = parts.subject.replace(/[\r\n]+/g, ' ')
  const maxUnits = Math.min(getMaxRenderedUnits(channel.limits, isHtml ? 'html' : 'text'), maxRenderedBytes)
  const isUnmodified = parts.template === unmodifiedTemplate
  const body = isUnmodified ? parts.message : fillTemplate(split, selectValues(values, isHtml, channel), maxUnits)
  if (!isHtml) return { subject, text: body }
  // Content that will be rejected needs no text alternative.
  if (exceedsByteLimit(body, channel.limits) || body.length > maxUnits) return { subject, text: '', html: body }
  return { subject, text: isUnmodified ? values.messageAsText() : createTextAlternative(split, values.text()), html: body }
}

const selectValues = (values: MessageValues, isHtml: boolean, channel: Pick<Channel, 'kind' | 'escape'>): InsertedValues => {
  if (isHtml) return values.markup()
  return channel.kind === 'chat' && channel.escape ? values.escaped(channel.escape) : values.text()
}

const fillTemplate = ({ pieces, rest }: SplitTemplate, values: InsertedValues, maxUnits: number): string => {
  let text = ''
  for (const { before, placeholder } of pieces) {
    text += before + values[placeholder]
    if (text.length > maxUnits) return text
  }
  return text + rest
}

/** Placeholders for values while the template is converted: noncharacters, which no text needs (Unicode Standard, section 23.7). */
const marks = { subject: '\ufdd0', message: '\ufdd1' } as const
const anyMark = /[\ufdd0\ufdd1]/g

const removeMarks = (text: string): string => text.replace(anyMark, '')

/**
 * Returns the text alternative of an HTML template: its plain-text form with the plain-text form of each value inserted.
 * Converts the template before inserting the values, because values are long and can occur many times.
 * @param values The values as text, not as HTML.
 */
const createTextAlternative = ({ pieces, rest }: SplitTemplate, values: InsertedValues): string => {
  const insert = (text: string, { subject, message }: InsertedValues) =>
    text.replace(anyMark, (mark) => (mark === marks.subject ? subject : message))
  const html = pieces.map(({ before, placeholder }) => removeMarks(before) + marks[placeholder]).join('') + removeMarks(rest)
  // Values inserted into a link stay in the text, so they must not contain marks.
  const attributeValues = { subject: removeMarks(values.subject), message: removeMarks(values.message) }
  return insert(
    htmlToText(html, (text) => insert(text, attributeValues)),
    values,
  ).trimEnd()
}
