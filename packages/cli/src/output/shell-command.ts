import type { Io } from '../io.ts'

const quote = (word: string, platform: Io['platform']): string => {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  // The shells of Windows have no common quotes but these. A file name there contains no double quote.
  return platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Formats words as a command to paste into a shell. Quotes words that contain special characters. */
export const formatCommand = (words: readonly string[], platform: Io['platform']): string =>
  words.map((word) => quote(word, platform)).join(' ')
