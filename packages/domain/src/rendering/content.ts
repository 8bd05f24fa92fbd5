import type { ContentLimits } from '../channels/channel.ts'
import { codePointLength, utf8Length } from './text-length.ts'

/** The format of a template or a message. */
export type TextType = 'text/plain' | 'text/html'

/** The rendered parts of a message. */
export interface RenderedContent {
  /**
   * The subject: a single line of at most 998 characters. It is not escaped for chat channels. A chat provider that shows
   * the subject as a title must escape it and truncate it to the service's limit.
   */
  readonly subject: string
  /** The text of a chat message or plain-text email, or the plain-text alternative of an HTML email. */
  readonly text: string
  /** The HTML of an email whose template has the type `text/html`. */
  readonly html?: string
}

/**
 * The maximum size of a rendered message on any channel, in UTF-8 bytes: subject, text and HTML together. A channel's own
 * limit may be lower. {@link maxRenderedBytes} separately limits the total size of all messages that one request renders.
 */
export const maxContentBytes = 20_000_000

/** The maximum total size, in UTF-8 bytes, of all messages that one request renders. */
export const maxRenderedBytes = 1_048_576

/** A content limit that a rendered message exceeds. */
export interface ContentIssue {
  /**
   * The exceeded limit. `textCharacters` limits the code points in the text. `totalBytes` limits the UTF-8 bytes of all
   * parts and, if the channel has a `countBytes` function, also the message's bytes in the provider's format.
   */
  readonly limit: 'textCharacters' | 'totalBytes'
  /** The measured size. For a message far above the limit it is a lower bound, because rendering stops early. */
  readonly measured: number
  readonly allowed: number
  readonly message: string
}

/** Returns the total size, in UTF-8 bytes, of a message's subject, text and HTML. */
export const countContentBytes = ({ subject, text, html = '' }: RenderedContent): number =>
  utf8Length(subject) + utf8Length(text) + utf8Length(html)

/**
 * Returns an issue for each of the channel's limits that a rendered message exceeds. The byte limit of every channel is
 * at most {@link maxContentBytes}.
 * @param bytes The result of {@link countContentBytes} for this content, if the caller has already computed it.
 */
export const findContentIssues = (content: RenderedContent, limits: ContentLimits, bytes = countContentBytes(content)): ContentIssue[] => {
  const issues: ContentIssue[] = []
  const check = (limit: ContentIssue['limit'], measured: number, allowed: number, unit: string) => {
    if (measured <= allowed) return
    const message = `The rendered message has ${formatNumber(measured)} ${unit}; at most ${formatNumber(allowed)} are allowed.`
    issues.push({ limit, measured, allowed, message })
  }

  if (limits.textCharacters !== undefined) check('textCharacters', codePointLength(content.text), limits.textCharacters, 'characters')
  const maxBytes = getMaxBytes(limits)
  // Content above the byte limit is not measured in the provider's format, because the measurement could take too long.
  const formattedBytes = bytes > maxBytes ? undefined : limits.countBytes?.(content)
  if (formattedBytes === undefined) check('totalBytes', bytes, maxBytes, 'bytes')
  else check('totalBytes', formattedBytes, maxBytes, "bytes in the provider's format")
  return issues
}

/**
 * Returns the number of UTF-16 code units after which the renderer stops rendering a part. This is twice the length that the
 * limits allow, but at most {@link maxContentBytes}. A part that is only a little too long is therefore usually rendered
 * completely, so that its error states the exact size.
 */
export const getMaxRenderedUnits = (limits: ContentLimits, part: 'text' | 'html'): number => {
  // `textCharacters` limits only the message's `text`. Long HTML is allowed if its text alternative is short enough.
  const characters = part === 'text' && limits.textCharacters !== undefined ? limits.textCharacters : maxContentBytes
  // A code unit takes at least one byte in UTF-8, and a character has at most two code units.
  const allowed = Math.min(getMaxBytes(limits), 2 * characters)
  return Math.min(2 * allowed, maxContentBytes)
}

/**
 * Returns whether a part certainly exceeds the byte limit, because it has more code units than the limit has bytes. Each
 * code unit takes at least one byte in UTF-8.
 */
export const exceedsByteLimit = (part: string, limits: ContentLimits): boolean => part.length > getMaxBytes(limits)

const getMaxBytes = (limits: ContentLimits): number => Math.min(limits.totalBytes ?? maxContentBytes, maxContentBytes)

/** Formats a number with commas as thousands separators, regardless of the process's locale. */
const formatNumber = (value: number): string => value.toLocaleString('en-US')
