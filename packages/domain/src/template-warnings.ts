import type { ChannelKind } from './channels/channel.ts'
import type { TextType } from './content.ts'
import { unmodifiedTemplate } from './template.ts'

/** Something in the template of a flow that is allowed, but probably not meant. */
export interface TemplateWarning {
  readonly code: 'no_placeholder' | 'unknown_placeholder' | 'html_on_chat' | 'unescaped_message'
  /** A JSON Pointer to the field of the flow. */
  readonly pointer: '/message_template' | '/message_template_type'
  /** What happens, and what was probably meant. */
  readonly message: string
}

/** Most unknown placeholders that are reported one by one. */
const maxUnknown = 10

/**
 * What looks wrong in a template. Nothing is refused for it.
 *
 * - `unescaped_message`: exactly `{{message}}` on a chat or as `text/html`, where the message goes out unescaped.
 * - `no_placeholder`: neither placeholder occurs, so every message reads the same.
 * - `unknown_placeholder`: something in double braces that is not replaced, as `{{messge}}` or `{{ message }}`;
 *   one warning for each that differs, at most ten.
 * - `html_on_chat`: `text/html` on a chat, which shows the markup.
 */
export const templateWarnings = (flow: {
  readonly template: string
  readonly templateType: TextType
  readonly channelKind: ChannelKind
}): TemplateWarning[] => {
  const { template, templateType, channelKind } = flow
  const warnings: TemplateWarning[] = []
  if (template === unmodifiedTemplate && (channelKind === 'chat' || templateType === 'text/html')) {
    const result = channelKind === 'chat' ? 'may contain control sequences of the chat' : 'is read as HTML'
    const message = `A template of only {{message}} sends the message without escaping, so what callers send ${result}. Put any text beside the placeholder to have it escaped.`
    warnings.push({ code: 'unescaped_message', pointer: '/message_template', message })
  }
  if (!/\{\{(?:subject|message)\}\}/.test(template)) {
    const message = 'The template has neither {{subject}} nor {{message}}, so every message reads the same.'
    warnings.push({ code: 'no_placeholder', pointer: '/message_template', message })
  }
  for (const name of unknownPlaceholders(template)) {
    const meant = probableName(name)
    const hint = meant ? `{{${meant}}} was probably meant.` : 'Only {{subject}} and {{message}} are replaced.'
    const message = `{{${name}}} is not replaced but sent as it is. ${hint}`
    warnings.push({ code: 'unknown_placeholder', pointer: '/message_template', message })
  }
  if (templateType === 'text/html' && channelKind === 'chat') {
    const message = 'A chat does not render text/html: the markup of the template is sent as it is written.'
    warnings.push({ code: 'html_on_chat', pointer: '/message_template_type', message })
  }
  return warnings
}

const unknownPlaceholders = (template: string): Set<string> => {
  const names = new Set<string>()
  for (const [, name = ''] of template.matchAll(/\{\{([^{}\r\n]{0,64})\}\}/g)) {
    if (name !== 'subject' && name !== 'message') names.add(name)
    if (names.size === maxUnknown) break
  }
  return names
}

/** Names that other systems use for the same, in lower case. */
const synonyms = new Map([
  ...['title', 'headline', 'topic'].map((name) => [name, 'subject'] as const),
  ...['body', 'text', 'content', 'msg'].map((name) => [name, 'message'] as const),
])

/** What was probably meant: a name with the same letters, at most two typing errors away, or a common synonym. */
const probableName = (name: string): 'subject' | 'message' | undefined => {
  const letters = name.toLowerCase().replace(/[^a-z]/g, '')
  const known = (['subject', 'message'] as const).find((candidate) => letters.includes(candidate) || editDistance(letters, candidate) <= 2)
  return known ?? synonyms.get(letters)
}

/** Levenshtein distance: the fewest letters to insert, delete or replace. */
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
