import type { Channel } from '../channels/channel.ts'
import type { TextType } from './content.ts'
import { unmodifiedTemplate } from './template.ts'

/** A probable mistake in a flow's template. */
export interface TemplateWarning {
  readonly code: 'no_placeholder' | 'unknown_placeholder' | 'html_on_chat' | 'unescaped_message'
  /** A JSON Pointer to the field that is probably wrong. */
  readonly pointer: '/message_template' | '/message_template_type'
  /** Explains the problem and suggests a fix. */
  readonly message: string
}

/** The maximum number of warnings about unknown placeholders. */
const maxUnknown = 10

/** The punctuation marks of ASCII, some of which are special in each markup language. */
const punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'

/** Returns whether a channel escapes values at all. Channels without markup, such as `webhook`, leave values unchanged. */
const escapesValues = ({ escape: escapeValue }: Pick<Channel, 'escape'>): boolean =>
  escapeValue !== undefined && escapeValue(punctuation) !== punctuation

/**
 * Returns the probable mistakes in a template. A flow with such a mistake is still accepted.
 *
 * - `unescaped_message`: the template is exactly `{{message}}`, so the message is sent unescaped. For a chat, this is reported
 *   only if the channel escapes values; for an email, only if the type is `text/html`.
 * - `no_placeholder`: the template has no placeholder, so every message is the same.
 * - `unknown_placeholder`: a name in double braces, such as `{{messge}}` or `{{ message }}`, is not a placeholder. Each
 *   distinct name causes one warning, up to a total of ten.
 * - `html_on_chat`: the type is `text/html`, but the channel is a chat, which displays the markup as text.
 *
 * A flow whose channel is `undefined` has the warnings of an email.
 */
export const findTemplateWarnings = (flow: {
  readonly template: string
  readonly templateType: TextType
  readonly channel: Pick<Channel, 'kind' | 'escape'> | undefined
}): TemplateWarning[] => {
  const { template, templateType, channel } = flow
  const warnings: TemplateWarning[] = []
  const isChat = channel?.kind === 'chat'
  if (template === unmodifiedTemplate && (isChat ? escapesValues(channel) : templateType === 'text/html')) {
    const effect = isChat
      ? 'markup in the message takes effect, such as bold text or, on Slack, mentions'
      : 'the message is interpreted as HTML'
    const message = `A template that contains only {{message}} sends the message unchanged, so ${effect}. A template with other text, such as "New: {{message}}", escapes plain-text messages.`
    warnings.push({ code: 'unescaped_message', pointer: '/message_template', message })
  }
  if (!/\{\{(?:subject|message)\}\}/.test(template)) {
    const message = 'The template has neither {{subject}} nor {{message}}, so every message is the same.'
    warnings.push({ code: 'no_placeholder', pointer: '/message_template', message })
  }
  for (const name of listUnknownPlaceholders(template)) {
    const intendedName = guessIntendedName(name)
    const hint = intendedName ? `Did you mean {{${intendedName}}}?` : 'Only {{subject}} and {{message}} are replaced.'
    const message = `{{${name}}} is not a placeholder and is sent unchanged. ${hint}`
    warnings.push({ code: 'unknown_placeholder', pointer: '/message_template', message })
  }
  if (templateType === 'text/html' && isChat) {
    const message = 'Chat providers do not render text/html. The markup of the template is sent as plain text.'
    warnings.push({ code: 'html_on_chat', pointer: '/message_template_type', message })
  }
  return warnings
}

const listUnknownPlaceholders = (template: string): Set<string> => {
  const names = new Set<string>()
  for (const [, name = ''] of template.matchAll(/\{\{([^{}\r\n]{0,64})\}\}/g)) {
    if (name !== 'subject' && name !== 'message') names.add(name)
    if (names.size === maxUnknown) break
  }
  return names
}

/** The lower-case names that other systems use for placeholders, each with the equivalent placeholder in Flowpost. */
const synonyms = new Map([
  ...['title', 'headline', 'topic'].map((name) => [name, 'subject'] as const),
  ...['body', 'text', 'content', 'msg'].map((name) => [name, 'message'] as const),
])

/**
 * Returns the placeholder that the author probably meant by `name`. This is a placeholder that `name` contains, or that
 * differs from `name` by an edit distance of at most 2, or for which `name` is a synonym. Ignores case and all characters
 * other than letters.
 */
const guessIntendedName = (name: string): 'subject' | 'message' | undefined => {
  const letters = name.toLowerCase().replace(/[^a-z]/g, '')
  const similarName = (['subject', 'message'] as const).find(
    (candidate) => letters.includes(candidate) || editDistance(letters, candidate) <= 2,
  )
  return similarName ?? synonyms.get(letters)
}

/** Returns the Levenshtein distance between two words: the minimum number of letter insertions, deletions and replacements. */
const editDistance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1]
    for (let at = 1; at <= to.length; at += 1) {
      const replaced = (row[at - 1] ?? 0) + (letter === to[at - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
