import { z } from 'zod'
import { connectionUrlIssue } from '../database/connection-url.ts'

/** One of a set of literals. */
export const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, { error: `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}` })

/** `on` or `off`. */
export const flag = oneOf(['on', 'off'])

/** A whole number within bounds. */
export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`)

/** A URL with one of the protocols, each with its colon. */
export const url = (protocols: readonly string[]) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    error: `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  })

/** The URL of a PostgreSQL database. */
export const databaseUrl = z.string().superRefine((value, context) => {
  const issue = connectionUrlIssue(value)
  if (issue !== undefined) context.addIssue(issue)
})

/** Entries separated by commas; blanks around them are ignored. */
export const list = z.string().transform((value) => value.split(',').flatMap((entry) => entry.trim() || []))
