import type { Channel } from '../channels/channel.ts'
import { countContentBytes, maxRenderedBytes, type RenderedContent, type TextType } from './content.ts'
import { createMessageValues } from './message-values.ts'
import { maxPlaceholders, splitTemplateOfFlow } from './split-template.ts'
import { renderMessage, unmodifiedTemplate } from './template.ts'

/** The relevant fields of a send request, as in the API. */
interface RenderedRequest {
  readonly subject: string
  readonly message: string
  readonly message_type: TextType
}

interface RenderedFlow {
  readonly message_template: string
  readonly message_template_type: TextType
}

/** The rendering of one request for any number of flows, with its cost so far. */
export interface Rendering {
  /** Renders the message for a flow, or returns why its template cannot be rendered. */
  readonly render: (
    flow: RenderedFlow,
    channel: Channel,
  ) => { readonly ok: true; readonly content: RenderedContent; readonly bytes: number } | { readonly ok: false; readonly message: string }
  /** Returns why the request must be rejected; `undefined` while it is within the limit. */
  readonly excess: () => string | undefined
  /** Returns the cost in bytes. Each tag and character reference that was converted to text counts as {@link markupBytes}. */
  readonly cost: () => number
}

/**
 * Returns the maximum total size of `count` templates in bytes. Larger templates are certain to render more than
 * {@link maxRenderedBytes}, because rendering removes only the placeholders.
 */
export const maxTemplateBytes = (count: number): number => maxRenderedBytes + count * maxPlaceholders * '{{subject}}'.length

/**
 * The maximum number of tags and character references that one request converts to text. Converting them takes about as long
 * as converting 1 MiB of text.
 */
const maxMarkup = 30_000
const markupBytes = 16

const tooMuchMarkup = `The message and the text/html templates exceed the limit of ${maxMarkup} tags and character references in total.`
/** The detail of the rejection of a request that exceeds {@link maxRenderedBytes}. */
export const tooManyBytes = `The rendered messages of all flows exceed the limit of ${maxRenderedBytes} bytes in total.`

/**
 * Creates the rendering of a request. Limits its cost: because stored templates can repeat the message, a request of a few
 * hundred bytes could otherwise block the process for seconds.
 *
 * - A template with more than {@link maxPlaceholders} placeholders is not rendered. Older versions allowed such templates.
 * - The messages of all flows have at most {@link maxRenderedBytes} in total.
 * - The message and the templates have at most {@link maxMarkup} tags and character references in total. The message counts once.
 */
export const createRendering = ({ subject, message, message_type: messageType }: RenderedRequest): Rendering => {
  const values = createMessageValues({ subject, message, messageType })
  let bytes = 0
  let markup = 0
  let isMessageConverted = false

  /** Counts the markup to convert to text for a flow: the markup of its template and, only once, the markup of the message. */
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
      const split = splitTemplateOfFlow(flow)
      const count = split.pieces.length
      if (count > maxPlaceholders)
        return { ok: false, message: `The template has ${count} placeholders; at most ${maxPlaceholders} are allowed. Shorten it.` }
      countMarkup(flow, channel)
      if (markup > maxMarkup) return { ok: false, message: tooMuchMarkup }
      const content = renderMessage({ template, templateType, subject, message, messageType }, channel, split, values)
      const size = countContentBytes(content)
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
