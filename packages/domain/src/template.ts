import type { Channel } from './channels/channel.ts'
import type { RenderedContent, TextType } from './content.ts'
import { isCertainlyTooLong, renderedUnits } from './content-limits.ts'
import { escapeHtml } from './escape-html.ts'
import { htmlToText } from './html-to-text.ts'
import { type SplitTemplate, splitTemplate } from './split-template.ts'

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
 * - An HTML email has a text alternative, made from its HTML; an empty one when the HTML is over the limit of the channel.
 *   The subject is always a single line.
 *
 * Never throws. A template may repeat a long message thousands of times, so rendering stops when the content
 * is far over the limits of the channel; {@link contentFaults} is then certain to refuse it, so no content
 * must be sent that was not checked by it.
 *
 * Markup is not sanitized: it comes from whoever may write templates and send messages.
 * @param split The template, where it has been split before.
 */
export const renderMessage = (
  parts: MessageParts,
  channel: Pick<Channel, 'kind' | 'escape' | 'limits'>,
  split: SplitTemplate = splitTemplate(parts.template, parts.templateType),
): RenderedContent => {
  const isHtml = parts.templateType === 'text/html' && channel.kind === 'email'
  const subject = parts.subject.replace(/[\r\n]+/g, ' ')
  const body = parts.template === unmodifiedTemplate ? parts.message : fillTemplate(split, parts, isHtml, channel)
  if (!isHtml) return { subject, text: body }
  // The alternative of what is refused is not worth its time, which is seconds for some megabytes of tags.
  return { subject, text: isCertainlyTooLong(body, channel.limits) ? '' : htmlToText(body), html: body }
}

const fillTemplate = (
  { pieces, rest }: SplitTemplate,
  parts: MessageParts,
  isHtml: boolean,
  channel: Pick<Channel, 'kind' | 'escape' | 'limits'>,
): string => {
  const asText = (value: string): string => {
    if (isHtml) return escapeHtml(value).replace(/\r\n|\r|\n/g, '<br>')
    return channel.kind === 'chat' && channel.escape ? channel.escape(value) : value
  }
  const messageValue = (): string => {
    if (parts.messageType === 'text/plain') return asText(parts.message)
    return isHtml ? parts.message : asText(htmlToText(parts.message))
  }
  const values = { subject: asText(parts.subject), message: messageValue(), 'line break': '\n' }
  const most = renderedUnits(channel.limits, isHtml ? 'html' : 'text')

  let filled = ''
  for (const { before, placeholder } of pieces) {
    filled += before + values[placeholder]
    if (filled.length > most) return filled
  }
  return filled + rest
}
