import type { Channel } from './channels/channel.ts'
import type { RenderedContent, TextType } from './content.ts'
import { contentBytes, maxRenderedBytes } from './content-limits.ts'
import { createMessageValues } from './message-values.ts'
import { maxPlaceholders, splitTemplateOf } from './split-template.ts'
import { renderMessage, unmodifiedTemplate } from './template.ts'

/** What is rendered: the fields of a send that matter here, as in the API. */
interface RenderedRequest {
  readonly subject: string
  readonly message: string
  readonly message_type: TextType
}

interface RenderedFlow {
  readonly message_template: string
  readonly message_template_type: TextType
}

/** The rendering of one request for any number of flows, with what it has taken so far. */
export interface Rendering {
  /** Renders the message for a flow, or says why its template cannot be rendered. */
  readonly render: (
    flow: RenderedFlow,
    channel: Channel,
  ) => { readonly ok: true; readonly content: RenderedContent; readonly bytes: number } | { readonly ok: false; readonly message: string }
  /** Why the request must be refused, in a sentence: `undefined` while it has rendered little enough. */
  readonly excess: () => string | undefined
  /** What was rendered, in bytes; a tag or a character reference that was converted to text counts as {@link markupBytes}. */
  readonly cost: () => number
}

/**
 * Returns how many bytes so many templates may have together. A request that triggers flows with more renders more than
 * {@link maxRenderedBytes} for certain, because a template loses no more than its placeholders.
 */
export const maxTemplateBytes = (count: number): number => maxRenderedBytes + count * maxPlaceholders * '{{subject}}'.length

/** Most tags and character references that one request may convert to text. It takes about as long as 1 MiB of text. */
const maxMarkup = 30_000
const markupBytes = 16

const tooMuchMarkup = `The message and the text/html templates have more than ${maxMarkup} tags and character references together, which is the most.`
/** Why a request is refused that renders more than {@link maxRenderedBytes}. */
export const tooManyBytes = `The rendered messages of all flows have more than ${maxRenderedBytes} bytes together, which is the most.`

/**
 * Starts the rendering of a request. What takes time is limited: a request of a few hundred bytes could otherwise keep the
 * process from all others for seconds, because templates are stored and repeat the message.
 *
 * - A template with more than {@link maxPlaceholders} is not rendered. None can be stored, but older versions took them.
 * - {@link maxRenderedBytes} over all flows.
 * - {@link maxMarkup} over the message, which is converted once, and the templates.
 */
export const createRendering = ({ subject, message, message_type: messageType }: RenderedRequest): Rendering => {
  const values = createMessageValues({ subject, message, messageType })
  let bytes = 0
  let markup = 0
  let isMessageConverted = false

  /** Counts the markup that the flow has converted to text: that of its template, and once that of the message. */
  const countMarkup = ({ message_template: template, message_template_type: templateType }: RenderedFlow, { kind }: Channel): void => {
    const isHtml = templateType === 'text/html' && kind === 'email'
    const isUnmodified = template === unmodifiedTemplate
    if (isHtml && !isUnmodified) markup += countMarks(template)
    if (isMessageConverted || (isUnmodified ? !isHtml : messageType !== 'text/html')) return
    isMessageConverted = true
    markup += countMarks(message)
  }

  return {
    render: (flow, channel) => {
      const { message_template: template, message_template_type: templateType } = flow
      const split = splitTemplateOf(flow)
      const count = split.pieces.length
      if (count > maxPlaceholders)
        return { ok: false, message: `The template has ${count} placeholders; at most ${maxPlaceholders} are rendered. Shorten it.` }
      countMarkup(flow, channel)
      if (markup > maxMarkup) return { ok: false, message: tooMuchMarkup }
      const content = renderMessage({ template, templateType, subject, message, messageType }, channel, split, values)
      const size = contentBytes(content)
      bytes += size
      return { ok: true, content, bytes: size }
    },
    excess: () => (bytes > maxRenderedBytes ? tooManyBytes : undefined),
    cost: () => bytes + markupBytes * markup,
  }
}

const mark = /<[a-zA-Z/!?]|&[#a-zA-Z]/g

const countMarks = (html: string): number => {
  let count = 0
  mark.lastIndex = 0
  while (count <= maxMarkup && mark.test(html)) count += 1
  return count
}
