/** How a template or a message is written. */
export type TextType = 'text/plain' | 'text/html'

/** A message as it is sent: rendered, with its target fixed. */
export interface RenderedContent {
  /**
   * The subject of an email, in one line of at most 998 characters. A chat may show it as a title, or not at all: it is
   * not escaped, and no limit of characters is on it, so the provider escapes it and cuts it to what the service takes.
   */
  readonly subject: string
  /** The text of a chat message, the text of a plain email, or the text alternative of an HTML email. */
  readonly text: string
  /** The HTML view of an email, when the template is `text/html`. */
  readonly html?: string
}
