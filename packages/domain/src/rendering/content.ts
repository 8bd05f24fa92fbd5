import type { ContentLimits } from '../channels/channel.ts'
import { codePointLength, utf8Length } from './text-length.ts'

/** The format of a template or a message. */
export type TextType = 'text/plain' | 'text/html'

/** The rendered content of a message. */
export interface RenderedContent {
  /**
   * The subject: a single line of at most 998 characters. It is not escaped for a chat. A provider that shows it as a title
   * escapes it and truncates it to the limit of its service.
   */
  readonly subject: string
  /** The text of a chat message or a plain email, or the text alternative of an HTML email. */
  readonly text: string
  /** The HTML of an email whose template is `text/html`. */
  readonly html?: string
}

/** The maximum size of a rendered message on any channel: all parts together, in UTF-8 bytes. */
export const maxContentBytes = 20_000_000

/** The maximum size of all messages that one request renders, in UTF-8 bytes over all flows and parts. */
export const maxRenderedBytes = 1_048_576

/** A content limit that a rendered message exceeds. */
export interface ContentIssue {
  /** The limit: code points of the text, or bytes of subject, text and HTML together. */
  readonly limit: 'textCharacters' | 'totalBytes'
  /** The measured size. A lower bound for messages far above the limit, because rendering stops early. */
  readonly measured: number
  readonly allowed: number
  readonly message: string
}

/** Returns the size of all parts of a message in UTF-8 bytes. */
export const countContentBytes = ({ subject, text, html = '' }: RenderedContent): number =>
  utf8Length(subject) + utf8Length(text) + utf8Length(html)

/**
 * Returns the limits of a channel that a rendered message exceeds. {@link maxContentBytes} applies to every channel.
 * @param bytes The result of {@link countContentBytes}, if already computed.
 */
export const findContentIssues = (content: RenderedContent, limits: ContentLimits, bytes = countContentBytes(content)): ContentIssue[] => {
  const issues: ContentIssue[] = []
  const check = (limit: ContentIssue['limit'], measured: number, allowed: number, unit: string) => {
    if (measured <= allowed) return
    const message = `The rendered message has ${formatNumber(measured)} ${unit}; at most ${formatNumber(allowed)} are allowed.`
    issues.push({ limit, measured, allowed, message })
  }

  if (limits.textCharacters !== undefined) check('textCharacters', codePointLength(content.text), limits.textCharacters, 'characters')
  check('totalBytes', bytes, getMaxBytes(limits), 'bytes')
  return issues
}

/**
 * Returns how many UTF-16 code units of a part the renderer produces before it stops. A longer part is certain to exceed a
 * limit: a code unit takes at least one byte in UTF-8, and two code units are at least one code point. The result is twice
 * that bound, so that the reported size is exact for all but extremely long messages.
 */
export const getMaxRenderedUnits = (limits: ContentLimits, part: 'text' | 'html'): number => {
  // The character limit applies to the text, and long HTML can have a short text.
  const characters = part === 'text' && limits.textCharacters !== undefined ? limits.textCharacters : maxContentBytes
  return Math.min(2 * Math.min(getMaxBytes(limits), 2 * characters), maxContentBytes)
}

/** Returns whether one part alone exceeds the byte limit: a code unit takes at least one byte in UTF-8. */
export const exceedsByteLimit = (part: string, limits: ContentLimits): boolean => part.length > getMaxBytes(limits)

const getMaxBytes = (limits: ContentLimits): number => Math.min(limits.totalBytes ?? maxContentBytes, maxContentBytes)

/** Formats a number with thousands separators, the same in every locale. */
const formatNumber = (value: number): string => value.toLocaleString('en-US')
