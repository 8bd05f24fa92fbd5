import type { TextType } from './content.ts'
import type { BodyFault } from './refusal.ts'

/** The most times that `{{subject}}` and `{{message}}` may occur in a template, together. */
export const maxPlaceholders = 32

/** What stands in a template for something else. */
export type Placeholder = 'subject' | 'message'

/** A template, split at its placeholders. The line breaks of a plain one are real ones. */
export interface SplitTemplate {
  /** Each placeholder, with the text between it and the one before. */
  readonly pieces: readonly { readonly before: string; readonly placeholder: Placeholder }[]
  /** The text after the last one. */
  readonly rest: string
}

const lineBreak = /\\n/g
const placeholders = /\{\{(subject|message)\}\}/g

/** Splits a template at `{{subject}}` and `{{message}}`. In a plain one the two characters `\n` become a line break. */
export const splitTemplate = (template: string, type: TextType): SplitTemplate => {
  // After splitting, so that a line break is never found across the edge of a value.
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
 * Finds the fault of a template that has more than {@link maxPlaceholders}. A short one would make megabytes of a long message.
 * @param fields The fields of a flow, not yet checked.
 */
export const templateFaults = ({ message_template: template }: { readonly message_template?: unknown }): BodyFault[] => {
  if (typeof template !== 'string' || splitTemplate(template, 'text/html').pieces.length <= maxPlaceholders) return []
  const message = `Must have at most ${maxPlaceholders} placeholders: {{subject}} and {{message}} count each time that they occur.`
  return [{ pointer: '/message_template', code: 'invalid_value', message }]
}

/** What a flow has of a template. */
interface TemplateOfFlow {
  readonly message_template: string
  readonly message_template_type: TextType
}

// A flow is sent to many times, and is read anew when it has changed. One of very many pieces takes more memory than its text.
const kept = new WeakMap<TemplateOfFlow, { readonly template: string; readonly type: TextType; readonly split: SplitTemplate }>()

/** As {@link splitTemplate}, of a flow: once for as long as the flow is kept and its template stays the same. */
export const splitTemplateOf = (flow: TemplateOfFlow): SplitTemplate => {
  const { message_template: template, message_template_type: type } = flow
  const known = kept.get(flow)
  if (known?.template === template && known.type === type) return known.split
  const split = splitTemplate(template, type)
  if (split.pieces.length <= maxPlaceholders) kept.set(flow, { template, type, split })
  return split
}
