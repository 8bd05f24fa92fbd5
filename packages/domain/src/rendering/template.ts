import type { Channel } from '../channels/channel.ts'
import { htmlToText } from '../html/html-to-text.ts'
import { exceedsByteLimit, getMaxRenderedUnits, maxRenderedBytes, type RenderedContent, type TextType } from './content.ts'
import { createMessageValues, type InsertedValues, type MessageValues } from './message-values.ts'
import { type SplitTemplate, splitTemplate } from './split-template.ts'

/** A flow's default template, which sends the message unmodified. */
export const unmodifiedTemplate = '{{message}}'

/** The input of {@link renderMessage}: a flow's template, and the subject and message of a request. */
export interface MessageParts {
  readonly template: string
  readonly templateType: TextType
  readonly subject: string
  readonly message: string
  readonly messageType: TextType
}

/**
 * Renders a message for a channel by these rules:
 *
 * - `{{subject}}` and `{{message}}` are replaced in one pass. Placeholders within a value are not expanded.
 * - With a template that contains only `{{message}}`, the message is sent unmodified. Nothing is escaped, regardless of
 *   `messageType`.
 * - In any other template, values are escaped for their context. For an HTML email, they are escaped and their line breaks
 *   become `<br>`. For a plain-text email, they are inserted unchanged. For a chat, `channel.escape` escapes them.
 * - A `text/html` message is inserted as markup into an HTML email, and converted to plain text elsewhere.
 * - In a `text/plain` template, the two characters `\n` become a line break. In values, they stay unchanged.
 * - Only email renders `text/html`. In a chat, the tags in a template are sent unchanged, as plain text.
 * - An HTML email has a text alternative: the plain-text form of its template and values. The text alternative is empty if
 *   the HTML is too long to be sent.
 * - The subject is always a single line.
 *
 * Never throws. A template can repeat a long message, so rendering stops when the content is far above a limit of the
 * channel, or exceeds {@link maxRenderedBytes}. The content is then incomplete. Before sending, check the content with
 * `findContentIssues` and against {@link maxRenderedBytes}: at least one of the two checks rejects incomplete content.
 *
 * Markup is not sanitized: the users who write templates and send messages are trusted.
 * @param split The result of {@link splitTemplate} for the template, if the caller has already computed it.
 * @param values The result of {@link createMessageValues} for the request, if the caller shares it between templates.
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

/**
 * The marks that stand for the values while a template is converted to text. They are noncharacters, which are reserved
 * for internal use (Unicode Standard, section 23.7). A template cannot add marks: `removeMarks` removes those that the
 * template contains, and converting HTML to text decodes no reference to a noncharacter.
 */
const marks = { subject: '\ufdd0', message: '\ufdd1' } as const
const anyMark = /[\ufdd0\ufdd1]/g

const removeMarks = (text: string): string => text.replace(anyMark, '')

/**
 * Returns the text alternative of an HTML email. Converts the template to text first and inserts the plain-text values
 * afterwards. Otherwise, the values would be converted at each place where they occur, which takes long for long values.
 * @param values The subject and message as plain text.
 */
const createTextAlternative = ({ pieces, rest }: SplitTemplate, values: InsertedValues): string => {
  const insert = (text: string, { subject, message }: InsertedValues) =>
    text.replace(anyMark, (mark) => (mark === marks.subject ? subject : message))
  const html = pieces.map(({ before, placeholder }) => removeMarks(before) + marks[placeholder]).join('') + removeMarks(rest)
  // The marks in link URLs and `alt` texts are replaced first, then all other marks in the text. The subject or message may
  // itself contain a mark. `removeMarks` removes such marks from the values that are inserted first, because the second
  // replacement would otherwise replace these marks with a value.
  const attributeValues = { subject: removeMarks(values.subject), message: removeMarks(values.message) }
  return insert(
    htmlToText(html, (text) => insert(text, attributeValues)),
    values,
  ).trimEnd()
}
