import { type Html, html } from '../../../shared/html.ts'

/** The languages of the code samples. */
export type Language = 'bash' | 'json' | 'typescript'

const keywords =
  'as|async|await|break|catch|const|continue|else|export|for|from|function|if|import|in|instanceof|let|new|of|return|throw|try|type'

// The patterns of the tokens. The name of a capturing group is the kind of token. Text between tokens is shown as it is.
const tokens: Readonly<Record<Language, RegExp>> = {
  json: /(?<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<number>-?\d[\d.eE+-]*)|(?<keyword>true|false|null)/g,
  // A string in double quotes is split at its variables.
  bash: /(?<keyword>^(?:curl|export)\b)|(?<variable>\$[A-Z_]+)|(?<key>(?<=\s)-[A-Za-z-]+(?=\s))|(?<string>(?<=\$[A-Z_]+)[^"$\s]*"|'[^']*'|"[^"$]*"?)/gm,
  typescript: new RegExp(
    [
      '(?<comment>//.*)',
      '(?<string>\'(?:[^\'\\\\\\n]|\\\\.)*\'|"(?:[^"\\\\\\n]|\\\\.)*"|`(?:[^`\\\\]|\\\\.)*`)',
      `(?<keyword>\\b(?:${keywords}|true|false|null|undefined)\\b)`,
      '(?<key>\\b[a-z]\\w*(?=\\())',
      '(?<number>\\b\\d[\\d_.]*\\b)',
    ].join('|'),
    'g',
  ),
}

/** Marks the strings, keys, keywords, numbers, variables and comments in code with classes such as `code-string`. */
export const highlight = (language: Language, code: string): Html => {
  const parts: (string | Html)[] = []
  let end = 0
  for (const match of code.matchAll(tokens[language])) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? ['plain']
    parts.push(code.slice(end, match.index), html`<span class="code-${kind}">${match[0]}</span>`)
    end = match.index + match[0].length
  }
  return html`${[...parts, code.slice(end)]}`
}
