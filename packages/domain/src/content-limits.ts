import type { ContentLimits } from './channels/channel.ts'
import type { RenderedContent } from './content.ts'
import { codePointLength, utf8Length } from './text-length.ts'

/** Most bytes of a rendered content in UTF-8, all parts together, whatever the channel allows. */
export const maxContentBytes = 20_000_000

/** Most bytes that one request may render, over all of its flows and all parts of their messages. */
export const maxRenderedBytes = 1_048_576

/** A limit that a rendered content breaks. */
export interface ContentFault {
  /** The limit: code points of the text, or bytes of subject, text and HTML together. */
  readonly limit: 'textCharacters' | 'totalBytes'
  /** What was measured. Far beyond the limit rendering stops, and this is then a lower bound. */
  readonly measured: number
  readonly allowed: number
  /** Both numbers in a sentence. */
  readonly message: string
}

/** The bytes of all parts of a message in UTF-8. */
export const contentBytes = ({ subject, text, html = '' }: RenderedContent): number =>
  utf8Length(subject) + utf8Length(text) + utf8Length(html)

/**
 * The limits of a channel that a rendered content breaks, none when it can be sent.
 * A content over {@link maxContentBytes} is at fault on every channel.
 * @param bytes Its {@link contentBytes}, where they have been counted.
 */
export const contentFaults = (content: RenderedContent, limits: ContentLimits, bytes = contentBytes(content)): ContentFault[] => {
  const faults: ContentFault[] = []
  const check = (limit: ContentFault['limit'], measured: number, allowed: number, unit: string) => {
    if (measured <= allowed) return
    const message = `The rendered message has ${count(measured)} ${unit}; at most ${count(allowed)} are allowed.`
    faults.push({ limit, measured, allowed, message })
  }

  if (limits.textCharacters !== undefined) check('textCharacters', codePointLength(content.text), limits.textCharacters, 'characters')
  check('totalBytes', bytes, allowedBytes(limits), 'bytes')
  return faults
}

/**
 * How many UTF-16 code units the renderer makes of a part before it stops. A part that is longer breaks a
 * limit for certain: a code unit is at least one byte in UTF-8, and two of them are at least one code point.
 * Twice that, so that what is measured is exact for any message that is not absurdly long.
 */
export const renderedUnits = (limits: ContentLimits, part: 'text' | 'html'): number => {
  // The limit on characters is on the text, and a long HTML view may have a short one.
  const characters = part === 'text' && limits.textCharacters !== undefined ? limits.textCharacters : maxContentBytes
  return Math.min(2 * Math.min(allowedBytes(limits), 2 * characters), maxContentBytes)
}

/** Whether a part alone breaks the limit on bytes: a code unit is at least one byte in UTF-8. */
export const isCertainlyTooLong = (part: string, limits: ContentLimits): boolean => part.length > allowedBytes(limits)

const allowedBytes = (limits: ContentLimits): number => Math.min(limits.totalBytes ?? maxContentBytes, maxContentBytes)

/** A number with its thousands set apart, the same in every locale. */
const count = (value: number): string => value.toLocaleString('en-US')
