import { type BannedPhrase, bannedPhrases } from './banned-phrases.ts'

/** A place where a banned name or phrase occurs. */
export interface Finding {
  readonly line: number
  readonly text: string
  readonly instead: string
}

// Within a comment, a line break is followed by `//`, `*` or `#`.
const gap = '[ \\n]+(?:(?:\\/\\/|\\*|#) )?'

const prepared = bannedPhrases.map(({ pattern, instead }: BannedPhrase) => ({
  instead,
  search: new RegExp(pattern.source.replaceAll(' ', gap), `g${pattern.flags}`),
}))

/** Returns where banned names and phrases occur in `text`. */
export const findBannedPhrases = (text: string): Finding[] =>
  prepared.flatMap(({ search, instead }) =>
    [...text.matchAll(search)].map((match) => ({
      line: text.slice(0, match.index).split('\n').length,
      text: match[0].replace(/\s+/g, ' '),
      instead,
    })),
  )
