import { databaseLines } from './database-lines.ts'
import { deliveryLines } from './delivery-lines.ts'
import type { LogLine } from './log-line.ts'
import { serverLines } from './server-lines.ts'

/** Every log line that the documentation explains to operators, by topic. */
export const logTopics: Readonly<Record<string, readonly LogLine[]>> = {
  'Server and requests': serverLines,
  Database: databaseLines,
  'Messages and events': deliveryLines,
}

/** The address of the published documentation. */
export const docsUrl = 'https://flowpost.github.io/flowpost'

/**
 * The id of the {@link LogLine} that explains all `fatal` lines. These lines share one explanation, because the message of
 * each line is an error message, and error messages vary.
 */
const fatalId = 'fatal'
const fatalLevel = 60

const lines = Object.values(logTopics).flat()
const isPattern = ({ message }: LogLine): boolean => message.includes('…')
const idsByMessage = new Map(lines.filter((line) => !isPattern(line)).map(({ id, message }) => [message, id]))

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
const patterns = lines
  .filter((line) => isPattern(line) && line.id !== fatalId)
  .map(({ id, message }) => ({ id, pattern: new RegExp(`^${message.split('…').map(escapePattern).join('.+')}$`, 's') }))

/** Returns the id of the {@link LogLine} that explains a message; `undefined` if there is none. */
export const logLineId = (message: string, level: number): string | undefined =>
  idsByMessage.get(message) ?? patterns.find(({ pattern }) => pattern.test(message))?.id ?? (level >= fatalLevel ? fatalId : undefined)

/** Returns the URL of the section that explains a message; `undefined` if no {@link LogLine} explains the message. */
export const logHelpUrl = (message: string, level: number): string | undefined => {
  const id = logLineId(message, level)
  return id === undefined ? undefined : `${docsUrl}/reference/log#${id}`
}
