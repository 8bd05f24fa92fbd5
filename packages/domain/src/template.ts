import type { Channel } from './channels/channel.ts'
import type { RenderedContent, TextType } from './content.ts'
import { isCertainlyTooLong, maxRenderedBytes, renderedUnits } from './content-limits.ts'
import { createMessageValues, type InsertedValues, type MessageValues } from './message-values.ts'
import { type SplitTemplate, splitTemplate } from './split-template.ts'
import { textAlternative } from './text-alternative.ts'

/** The template that sends a message unmodified. */
export const unmodifiedTemplate = '{{message}}'

/** What a message is rendered from: the template of a flow, and the values of a request. */
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
 * - Exactly `{{subject}}` and `{{message}}` are replaced, in one pass: a value that holds a placeholder is
 *   not expanded again.
 * - The template `{{message}}`, with nothing before or after, gives the message unmodified. Nothing is
 *   escaped and `messageType` does not matter.
 * - In any other template a value is text for the place it lands in. In an HTML email it is escaped and its
 *   line breaks become `<br>`; in a plain email it is inserted as it is; on a chat by `channel.escape`.
 * - A `text/html` message is inserted as markup into an HTML email, and as its plain-text form elsewhere.
 * - In a `text/plain` template the two characters `\n` are a line break. In values they are not.
 * - Only email renders `text/html`. On a chat the markup of such a template is sent as it is written.
 * - An HTML email has a text alternative: the plain-text form of its template, with the values in theirs. It is empty when
 *   the HTML is over the limit of the channel. The subject is always a single line.
 *
 * Never throws. A template may repeat a long message, so rendering stops when the content is far over the limits of the
 * channel, or of a request; {@link contentFaults} or the planner is then certain to refuse it, so no content must be sent
 * that was not checked by both.
 *
 * Markup is not sanitized: it comes from whoever may write templates and send messages.
 * @param split The template, where it has been split before.
 * @param values The subject and the message, where other templates share them.
 */
export const renderMessage = (
  parts: MessageParts,
  channel: Pick<Channel, 'kind' | 'escape' | 'limits'>,
  split: SplitTemplate = splitTemplate(parts.template, parts.templateType),
  values: MessageValues = createMessageValues(parts),
): RenderedContent => {
  const isHtml = parts.templateType === 'text/html' && channel.kind === 'email'
  const subject = parts.subject.replace(/[\r\n]+/g, ' ')
  const maxUnits = Math.min(renderedUnits(channel.limits, isHtml ? 'html' : 'text'), maxRenderedBytes)
  const isUnmodified = parts.template === unmodifiedTemplate
  const body = isUnmodified ? parts.message : fillTemplate(split, insertedValues(values, isHtml, channel), maxUnits)
  if (!isHtml) return { subject, text: body }
  // The alternative of what is refused is not worth its time.
  if (isCertainlyTooLong(body, channel.limits) || body.length > maxUnits) return { subject, text: '', html: body }
  return { subject, text: isUnmodified ? values.messageAsText() : textAlternative(split, values.text()), html: body }
}

const insertedValues = (values: MessageValues, isHtml: boolean, channel: Pick<Channel, 'kind' | 'escape'>): InsertedValues => {
  if (isHtml) return values.markup()
  return channel.kind === 'chat' && channel.escape ? values.escaped(channel.escape) : values.text()
}

const fillTemplate = ({ pieces, rest }: SplitTemplate, values: InsertedValues, maxUnits: number): string => {
  let filled = ''
  for (const { before, placeholder } of pieces) {
    filled += before + values[placeholder]
    if (filled.length > maxUnits) return filled
  }
  return filled + rest
}
