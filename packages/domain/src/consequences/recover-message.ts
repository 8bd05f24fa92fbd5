import type { Channel } from '../channels/channel.ts'
import { escapeHtml } from '../html/escape-html.ts'
import type { NotificationRequest, TemplatedFlow } from '../planning/plan-notification.ts'
import type { RenderedContent, TextType } from '../rendering/content.ts'
import { maxPlaceholders, type SplitTemplate, splitTemplateOfFlow } from '../rendering/split-template.ts'
import { renderMessage, unmodifiedTemplate } from '../rendering/template.ts'

/** A notification's message before rendering, with its format. */
export type OriginalMessage = Pick<NotificationRequest, 'message' | 'message_type'>

/** A rendered message, and the flow whose template rendered it. */
export interface RenderedByFlow {
  readonly flow: TemplatedFlow
  readonly channel: Channel
  readonly content: RenderedContent
}

const isHtml = ({ flow, channel }: RenderedByFlow): boolean => flow.message_template_type === 'text/html' && channel.kind === 'email'

const toMarkup = (value: string): string => escapeHtml(value).replace(/\r\n|\r|\n/g, '<br>')

const characters: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
const decodeEntities = (text: string): string => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => characters[entity] ?? entity)
const removeBackslashes = (text: string): string => text.replace(/\\(.)/gs, '$1')

/**
 * Returns the text that replaced each `{{message}}` in a template. To find the end of this text, computes its length: the
 * length of the rendered template without its known parts, divided by the number of `{{message}}` placeholders. Returns
 * `undefined` if the computed length is negative or not an integer, or if the template does not contain `{{message}}`.
 * @param text The rendered template.
 * @param subject The text that replaced each `{{subject}}`.
 */
const extractMessage = ({ pieces, rest }: SplitTemplate, text: string, subject: string): string | undefined => {
  const count = pieces.filter(({ placeholder }) => placeholder === 'message').length
  const known = pieces.reduce(
    (sum, { before, placeholder }) => sum + before.length + (placeholder === 'subject' ? subject.length : 0),
    rest.length,
  )
  const length = (text.length - known) / count
  if (!Number.isInteger(length) || length < 0) return undefined
  let start = 0
  for (const { before, placeholder } of pieces) {
    start += before.length
    if (placeholder === 'message') return text.slice(start, start + length)
    start += subject.length
  }
  return undefined
}

const hasTag = (text: string): boolean => /<[a-zA-Z/!]/.test(text)

/** Returns the text as an HTML message and as a plain-text message. The message with the more likely format comes first. */
const inEitherFormat = (message: string): OriginalMessage[] => {
  const formats: TextType[] = hasTag(message) ? ['text/html', 'text/plain'] : ['text/plain', 'text/html']
  return formats.map((message_type) => ({ message, message_type }))
}

/** Returns the messages from which the given content may have been rendered. */
const findCandidates = (rendered: RenderedByFlow, subject: string): OriginalMessage[] => {
  const { flow, channel, content } = rendered
  const text = isHtml(rendered) ? (content.html ?? '') : content.text
  if (flow.message_template === unmodifiedTemplate) return inEitherFormat(text)
  const split = splitTemplateOfFlow(flow)
  if (split.pieces.length > maxPlaceholders) return []
  const escapeValue = isHtml(rendered) ? toMarkup : channel.kind === 'chat' && channel.escape ? channel.escape : (value: string) => value
  const value = extractMessage(split, text, escapeValue(subject))
  if (value === undefined) return []
  const plain = [value, decodeEntities(value), decodeEntities(value.replaceAll('<br>', '\n')), removeBackslashes(value)]
  const candidates = plain
    .filter((message) => escapeValue(message) === value)
    .map((message): OriginalMessage => ({ message, message_type: 'text/plain' }))
  return isHtml(rendered) ? [...candidates, { message: value, message_type: 'text/html' }] : candidates
}

const isSameContent = (a: RenderedContent, b: RenderedContent): boolean => a.subject === b.subject && a.text === b.text && a.html === b.html

/**
 * Recovers a notification's message from its rendered contents. Rendering the recovered message again produces exactly
 * the same contents. If the message was HTML but was rendered only as plain text, the result is the plain text.
 * @returns `undefined` if no message can be recovered, for example because no template contains `{{message}}`.
 */
export const recoverMessage = (subject: string, rendered: readonly RenderedByFlow[]): OriginalMessage | undefined => {
  const reproduces = ({ message, message_type: messageType }: OriginalMessage) =>
    rendered.every(({ flow, channel, content }) => {
      const { message_template: template, message_template_type: templateType } = flow
      return isSameContent(renderMessage({ template, templateType, subject, message, messageType }, channel), content)
    })
  // HTML contents are tried first, because they preserve more of the message than plain text does.
  const ordered = [...rendered.filter(isHtml), ...rendered.filter((one) => !isHtml(one))]
  for (const one of ordered) {
    const found = findCandidates(one, subject).find((candidate) => candidate.message !== '' && reproduces(candidate))
    if (found) return found
  }
  return undefined
}
