import type { Channel } from '../channels/channel.ts'
import { countContentBytes, maxRenderedBytes, type RenderedContent, type TextType } from './content.ts'
import { createMessageValues } from './message-values.ts'
import { maxPlaceholders, splitTemplateOfFlow } from './split-template.ts'
import { renderMessage, unmodifiedTemplate } from './template.ts'

/** The fields of a send request that rendering needs, with the API's field names. */
interface RenderedRequest {
  readonly subject: string
  readonly message: string
  readonly message_type: TextType
}

interface RenderedFlow {
  readonly message_template: string
  readonly message_template_type: TextType
}

/** Renders the messages of one request, one for each flow. Tracks their total size and cost. */
export interface Rendering {
  /** Renders the message for a flow. Returns `ok: false` with the reason if the template or the markup exceeds a limit. */
  readonly render: (
    flow: RenderedFlow,
    channel: Channel,
  ) => { readonly ok: true; readonly content: RenderedContent; readonly bytes: number } | { readonly ok: false; readonly message: string }
  /** Returns the reason for rejecting the request if the messages rendered so far are too large in total; otherwise `undefined`. */
  readonly excess: () => string | undefined
  /**
   * Returns the cost so far, in bytes: the size of the rendered messages, plus {@link markupBytes} for each tag and
   * each character reference that must be converted to text.
   */
  readonly cost: () => number
}

/**
 * Returns the maximum total size, in bytes, of the `count` templates that one request renders. A request with larger templates
 * is rejected, because its messages would exceed {@link maxRenderedBytes} even if the subject and the message were empty. The
 * limit does not consider that the two characters `\n` in a template become one line break. Therefore, templates with many
 * `\n` may be rejected although the rendered messages would fit.
 */
export const maxTemplateBytes = (count: number): number => maxRenderedBytes + count * maxPlaceholders * '{{subject}}'.length

/**
 * The maximum number of tags and character references that one request converts to text. Converting this many takes about as
 * long as converting 1 MiB of text.
 */
const maxMarkup = 30_000
const markupBytes = 16

const tooMuchMarkup = `The message and the text/html templates together exceed the limit of ${maxMarkup} tags and character references.`
/** The error detail for a request whose rendered messages exceed {@link maxRenderedBytes}. */
export const tooManyBytes = `The rendered messages of all flows together exceed the limit of ${maxRenderedBytes} bytes.`

/**
 * Creates the {@link Rendering} of a request. A stored template can repeat the message many times, so without limits, a
 * request of a few hundred bytes could block the process for seconds. These are the limits:
 *
 * - A template is rendered only if it has at most {@link maxPlaceholders} placeholders. Older versions of Flowpost stored
 *   templates with more placeholders.
 * - The messages of all flows together are at most {@link maxRenderedBytes} bytes long.
 * - At most {@link maxMarkup} tags and character references are converted to text, in the message and all templates
 *   together. The message counts once, even if several flows need it.
 */
export const createRendering = ({ subject, message, message_type: messageType }: RenderedRequest): Rendering => {
  const values = createMessageValues({ subject, message, messageType })
  let bytes = 0
  let markup = 0
  let isMessageConverted = false

  /**
   * Adds to `markup` the number of tags and character references that must be converted to text for a flow. These can be in
   * the template and in the message. Counts the message only for the first flow that needs the message as text, because the
   * message is converted only once.
   */
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
        return { ok: false, message: `The template has ${count} placeholders; at most ${maxPlaceholders} are allowed. Use fewer.` }
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
