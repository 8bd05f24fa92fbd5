import type { BodyIssue } from '../planning/rejection.ts'
import type { TextType } from './content.ts'

/** The maximum number of placeholders in a template. Every occurrence of `{{subject}}` and `{{message}}` counts. */
export const maxPlaceholders = 32

/** The name of a placeholder in a template. */
export type Placeholder = 'subject' | 'message'

/** A template that is split at its placeholders. In a `text/plain` template, each `\n` is already converted to a line break. */
export interface SplitTemplate {
  /** Each placeholder, with the text between the previous placeholder and this one. */
  readonly pieces: readonly { readonly before: string; readonly placeholder: Placeholder }[]
  /** The text after the last placeholder. */
  readonly rest: string
}

const lineBreak = /\\n/g
const placeholders = /\{\{(subject|message)\}\}/g

/**
 * Splits a template at `{{subject}}` and `{{message}}`. In a `text/plain` template, the two characters `\n` are converted to
 * a line break.
 */
export const splitTemplate = (template: string, type: TextType): SplitTemplate => {
  // Converts `\n` in the pieces of the template, not in the rendered message. Otherwise, a backslash before a placeholder
  // and an `n` at the start of the inserted value would become a line break.
  const literal = (from: number, to?: number) => {
    const text = template.slice(from, to)
    return type === 'text/plain' ? text.replace(lineBreak, '\n') : text
  }
  const pieces: SplitTemplate['pieces'][number][] = []
  let at = 0
  for (const match of template.matchAll(placeholders)) {
    pieces.push({ before: literal(at, match.index), placeholder: match[1] as Placeholder })
    at = match.index + match[0].length
  }
  return { pieces, rest: literal(at) }
}

/**
 * Returns an issue if a template has more than {@link maxPlaceholders} placeholders. Without this limit, a short template
 * could turn a long message into megabytes.
 * @param fields The flow's fields. They need not be valid.
 */
export const findTemplateIssues = ({ message_template: template }: { readonly message_template?: unknown }): BodyIssue[] => {
  if (typeof template !== 'string' || splitTemplate(template, 'text/html').pieces.length <= maxPlaceholders) return []
  const message = `Must have at most ${maxPlaceholders} placeholders. Every occurrence of {{subject}} and {{message}} counts.`
  return [{ pointer: '/message_template', code: 'invalid_value', message }]
}

/** The template fields of a flow. */
interface TemplateFields {
  readonly message_template: string
  readonly message_template_type: TextType
}

// Many sends use the same flow object.
const cache = new WeakMap<TemplateFields, { readonly template: string; readonly type: TextType; readonly split: SplitTemplate }>()

/** Splits a flow's template. The result is cached per flow object until the template changes. */
export const splitTemplateOfFlow = (flow: TemplateFields): SplitTemplate => {
  const { message_template: template, message_template_type: type } = flow
  const cached = cache.get(flow)
  if (cached?.template === template && cached.type === type) return cached.split
  const split = splitTemplate(template, type)
  // Callers reject a template with more placeholders, so caching its pieces would waste memory.
  if (split.pieces.length <= maxPlaceholders) cache.set(flow, { template, type, split })
  return split
}
