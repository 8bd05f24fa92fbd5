import type { Channel } from '../channels/channel.ts'
import { escapeHtml } from '../html/escape-html.ts'
import { maxDeliveries } from '../planning/plan-deliveries.ts'
import type { NotificationRequest, TemplatedFlow } from '../planning/plan-notification.ts'
import type { RenderedContent, TextType } from '../rendering/content.ts'
import { createMessageValues } from '../rendering/message-values.ts'
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
  const withLineBreaks = (lineBreak: string) => decodeEntities(value.replaceAll('<br>', lineBreak))
  const plain = [value, decodeEntities(value), withLineBreaks('\n'), withLineBreaks('\r\n'), removeBackslashes(value)]
  const candidates = plain
    .filter((message) => escapeValue(message) === value)
    .map((message): OriginalMessage => ({ message, message_type: 'text/plain' }))
  return isHtml(rendered) ? [...candidates, { message: value, message_type: 'text/html' }] : candidates
}

const containsMessage = ({ flow }: RenderedByFlow): boolean =>
  splitTemplateOfFlow(flow).pieces.some(({ placeholder }) => placeholder === 'message')

const isSameContent = (a: RenderedContent, b: RenderedContent): boolean => a.subject === b.subject && a.text === b.text && a.html === b.html

/**
 * The maximum number of renderings while recovering a notification's message. Each possible message is rendered for one flow
 * after another, until a result differs from the stored content. The correct message needs one rendering per flow. A wrong
 * message usually needs only one in total. The limit bounds the time that the event loop is blocked.
 */
const maxRenderings = 2 * maxDeliveries

/**
 * Recovers a notification's message from its rendered contents. Rendering the recovered message again produces exactly
 * the same contents. If the message was HTML but was rendered only as plain text, the result is the plain text.
 * @param rendered The rendered contents. Those whose template does not contain `{{message}}` are ignored.
 * @returns `undefined` if no message can be recovered, for example because no template contains `{{message}}`, or because
 * that would take more than {@link maxRenderings} renderings.
 */
export const recoverMessage = (subject: string, rendered: readonly RenderedByFlow[]): OriginalMessage | undefined => {
  const relevant = rendered.filter(containsMessage)
  let renderings = 0
  const reproduces = ({ message, message_type: messageType }: OriginalMessage, origin: RenderedByFlow): boolean => {
    const values = createMessageValues({ subject, message, messageType })
    // The flow that the message was derived from is checked first, because a wrong message usually fails there.
    return [origin, ...relevant.filter((one) => one !== origin)].every(({ flow, channel, content }) => {
      renderings += 1
      if (renderings > maxRenderings) return false
      const parts = { template: flow.message_template, templateType: flow.message_template_type, subject, message, messageType }
      return isSameContent(renderMessage(parts, channel, splitTemplateOfFlow(flow), values), content)
    })
  }
  // HTML contents are tried first, because they preserve more of the message than plain text does.
  const ordered = [...relevant.filter(isHtml), ...relevant.filter((one) => !isHtml(one))]
  const tried = new Set<string>()
  for (const one of ordered) {
    for (const candidate of findCandidates(one, subject)) {
      const id = `${candidate.message_type} ${candidate.message}`
      if (candidate.message === '' || tried.has(id)) continue
      tried.add(id)
      if (reproduces(candidate, one)) return candidate
      if (renderings > maxRenderings) return undefined
    }
  }
  return undefined
}
