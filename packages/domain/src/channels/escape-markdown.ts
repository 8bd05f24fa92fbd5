const linkCharacters = /https?:\/\/(?:[^\s<>()[\]"\\]|\([^\s<>()[\]"\\]*\)|\[[^\s<>()[\]"\\]*\])+(?<![!',.:;?`|])/.source

/**
 * A link as users write it. Paired brackets are part of the link; trailing punctuation is not. A link can end in `_`,
 * `*` or `~`, unless the same character directly precedes the link: then both characters are formatting.
 */
const link = [`(?<![_*~])${linkCharacters}`, ...['_', '*', '~'].map((mark) => `(?<=[${mark}])${linkCharacters}(?<![${mark}])`)].join('|')

// Matches the end of a link that is followed by a space or a line end, with at most punctuation in between. Only such a link
// works without angle brackets. Discord extends any other link to the next space or "<", and so includes backslashes that escape
// the text after the link. At the end of the value, the text after the link is unknown, because it is part of the template.
const endsForDiscord = /(?=[.,:;"']*\s)/.source

// The lookbehinds check for the start of the line. They come after the `-` or `.` that they belong to, because they are then
// evaluated only at these characters. Otherwise, they would be evaluated at every character of the text.
const specialForDiscord = /[\\*_~`|<>#[\]()@]|-(?<=^ *-)(?= )|\.(?<=^ *\d+\.)(?= )/.source

const discordMarkdown = new RegExp(`<(${link})>|(${link})${endsForDiscord}|(${link})|${specialForDiscord}`, 'gim')

/**
 * Percent-encodes formatting and mentions in a link. Converts the scheme to lower case, because Discord does not
 * recognize the link otherwise.
 */
const encodeLink = (text: string): string =>
  text
    .replace(/^https?/i, (scheme) => scheme.toLowerCase())
    .replace(/[@()[\]*`|~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * Escapes Discord's Markdown and mentions. Links keep working: their special characters are percent-encoded, and a link that
 * is directly followed by other text or by the end of the value is put in angle brackets, which Discord does not show.
 */
export const escapeDiscordMarkdown = (value: string): string =>
  value.replace(discordMarkdown, (match, inBrackets?: string, separate?: string, followed?: string) => {
    if (separate !== undefined) return encodeLink(separate)
    const bracketed = inBrackets ?? followed
    return bracketed === undefined ? `\\${match}` : `<${encodeLink(bracketed)}>`
  })

// An indentation of four columns makes a line a code block, which shows backslashes.
const codeIndentation = /^(?: {4}| {0,3}\t)[ \t]*(?=[^ \t\r\n])/.source

// Indentation includes no-break spaces, so that a value whose indentation is already converted is escaped in the same way.
const specialForTeams = [
  /[\\*_~`<>#[\]]/,
  // A list item.
  /[-+](?<=^[ \t\u00a0]*[-+])(?=\s|$)|[.)](?<=^[ \t\u00a0]*\d+[.)])(?=\s|$)/,
  // A line of at least three hyphens, which is a horizontal rule.
  /-(?<=^[ \t\u00a0]*-)(?=-[ \t]*-[- \t]*$)/,
  // A function, such as `{{DATE(2030-01-01T00:00:00Z)}}`.
  /\{(?=(?:DATE|TIME)\()/,
]
  .map(({ source }) => source)
  .join('|')

const teamsMarkdown = new RegExp(`(${codeIndentation})|${specialForTeams}`, 'gm')

/**
 * Escapes the Markdown and the functions of Adaptive Cards, whose Markdown is a subset of CommonMark. A URL is escaped like other
 * text, and still works: CommonMark removes the backslash from `https://example.com/a\_b`. Indentation that would make a line a
 * code block is converted to no-break spaces, four for each tab.
 *
 * Character references, such as `&amp;`, are not escaped, because some clients decode them and others do not.
 *
 * Source: https://learn.microsoft.com/adaptive-cards/authoring-cards/text-features
 */
export const escapeTeamsMarkdown = (value: string): string =>
  value.replace(teamsMarkdown, (match, indentation?: string) =>
    indentation === undefined ? `\\${match}` : indentation.replaceAll('\t', '    ').replaceAll(' ', '\u00a0'),
  )
