import type { TextType } from './content.ts'

/** What stands in a template for something else. */
export type Placeholder = 'subject' | 'message' | 'line break'

/** A template, split at its placeholders. */
export interface SplitTemplate {
  /** Each placeholder, with the text between it and the one before. */
  readonly pieces: readonly { readonly before: string; readonly placeholder: Placeholder }[]
  /** The text after the last one. */
  readonly rest: string
}

// One pattern for both, so that a line break is never found across the edge of a value.
const inPlain = /\{\{(subject|message)\}\}|\\n/g
const inHtml = /\{\{(subject|message)\}\}/g

/** Splits a template at `{{subject}}` and `{{message}}`, and a plain one at the two characters `\n` too. */
export const splitTemplate = (template: string, type: TextType): SplitTemplate => {
  const pieces: SplitTemplate['pieces'][number][] = []
  let at = 0
  for (const match of template.matchAll(type === 'text/plain' ? inPlain : inHtml)) {
    pieces.push({ before: template.slice(at, match.index), placeholder: (match[1] as Placeholder | undefined) ?? 'line break' })
    at = match.index + match[0].length
  }
  return { pieces, rest: template.slice(at) }
}

/** What a flow has of a template. */
interface TemplateOfFlow {
  readonly message_template: string
  readonly message_template_type: TextType
}

// A flow is sent to many times, and is read anew when it has changed. One of very many pieces takes more memory than its text.
const kept = new WeakMap<TemplateOfFlow, { readonly template: string; readonly type: TextType; readonly split: SplitTemplate }>()
const mostPiecesKept = 32

/** As {@link splitTemplate}, of a flow: once for as long as the flow is kept and its template stays the same. */
export const splitTemplateOf = (flow: TemplateOfFlow): SplitTemplate => {
  const { message_template: template, message_template_type: type } = flow
  const known = kept.get(flow)
  if (known?.template === template && known.type === type) return known.split
  const split = splitTemplate(template, type)
  if (split.pieces.length <= mostPiecesKept) kept.set(flow, { template, type, split })
  return split
}
