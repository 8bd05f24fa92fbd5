import type { FieldError } from '../problem.ts'
import { pointerOf } from './field-errors.ts'

const textFault = (text: string): string | undefined => {
  if (text.includes('\u0000')) return 'Must not contain U+0000.'
  return text.isWellFormed() ? undefined : 'Must be well-formed Unicode, without lone surrogates.'
}

/** What no text may hold, wherever it is in a body, names of fields included: a database could not store it. */
export const textFaults = (value: unknown, path: readonly string[] = []): FieldError[] => {
  if (typeof value === 'string') {
    const message = textFault(value)
    return message === undefined ? [] : [{ in: 'body', pointer: pointerOf(path), code: 'invalid_text', message }]
  }
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => [...textFaults(key, [...path, key]), ...textFaults(inner, [...path, key])])
}
