import { htmlToText } from './html-to-text.ts'
import type { Placeholder, SplitTemplate } from './split-template.ts'

/** Stands for a value while the template is converted. Noncharacters, which no text needs (Unicode Standard, section 23.7). */
const marks = { subject: '\ufdd0', message: '\ufdd1' } as const
const anyMark = /[\ufdd0\ufdd1]/g

const withoutMarks = (text: string): string => text.replace(anyMark, '')

/**
 * Returns the text alternative of an HTML template: its plain-text form with the plain-text form of each value inserted.
 * The template is converted without the values: those are long, and may occur in it many times.
 * @param values The values as text, not as HTML.
 */
export const textAlternative = ({ pieces, rest }: SplitTemplate, values: Readonly<Record<Placeholder, string>>): string => {
  const insert = (text: string, { subject, message }: typeof values) =>
    text.replace(anyMark, (mark) => (mark === marks.subject ? subject : message))
  const html = pieces.map(({ before, placeholder }) => withoutMarks(before) + marks[placeholder]).join('') + withoutMarks(rest)
  // What is inserted into an address stays in the text, so it must bring no mark of its own.
  const inAttributes = { subject: withoutMarks(values.subject), message: withoutMarks(values.message) }
  return insert(
    htmlToText(html, (text) => insert(text, inAttributes)),
    values,
  ).trimEnd()
}
