import type { FieldError } from '../problem.ts'
import { pointerOf } from './field-errors.ts'

const textFault = (text: string): string | undefined => {
  if (text.includes('\u0000')) return 'Must not contain U+0000.'
  return text.isWellFormed() ? undefined : 'Must be well-formed Unicode, without lone surrogates.'
}

const collect = (value: unknown, path: string[], faults: FieldError[]): void => {
  if (typeof value === 'string') {
    const message = textFault(value)
    if (message !== undefined) faults.push({ in: 'body', pointer: pointerOf(path), code: 'invalid_text', message })
  } else if (value !== null && typeof value === 'object') {
    for (const key of Object.keys(value)) {
      path.push(key)
      collect(key, path, faults)
      collect((value as Record<string, unknown>)[key], path, faults)
      path.pop()
    }
  }
}

/** What no text may hold, wherever it is in a body, names of fields included: a database could not store it. */
export const textFaults = (value: unknown): FieldError[] => {
  const faults: FieldError[] = []
  collect(value, [], faults)
  return faults
}
