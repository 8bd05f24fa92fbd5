/** Pairs the names in a space-separated list with consecutive characters, starting at the code point `from`. */
const listRange = (from: number, names: string): [string, string][] =>
  names.split(' ').map((name, index) => [name, String.fromCodePoint(from + index)])

/** Parses a list of pairs. Two spaces separate the pairs, and one space separates a pair's name from its character. */
const parsePairs = (list: string): [string, string][] =>
  list.split('  ').map((pair) => {
    const [name = '', character = ''] = pair.split(' ')
    return [name, character]
  })

/** Most of the named character references in HTML 4, and a few more that email templates use. */
const named = new Map<string, string>([
  ...listRange(
    0xa0,
    'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest',
  ),
  ...listRange(
    0xc0,
    'Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig',
  ),
  ...listRange(
    0xe0,
    'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml',
  ),
  ...listRange(0x391, 'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho'),
  ...listRange(0x3a3, 'Sigma Tau Upsilon Phi Chi Psi Omega'),
  ...listRange(
    0x3b1,
    'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega',
  ),
  ...listRange(0x2190, 'larr uarr rarr darr harr'),
  ...listRange(0x21d0, 'lArr uArr rArr dArr hArr'),
  ...listRange(0x200c, 'zwnj zwj lrm rlm'),
  ...parsePairs('quot "  amp &  lt <  gt >  apos \'  OElig Œ  oelig œ  Scaron Š  scaron š  Yuml Ÿ  fnof ƒ  circ ˆ  tilde ˜'),
  ...parsePairs('ndash –  mdash —  lsquo ‘  rsquo ’  sbquo ‚  ldquo “  rdquo ”  bdquo „  dagger †  Dagger ‡  bull •  hellip …'),
  ...parsePairs('permil ‰  prime ′  Prime ″  lsaquo ‹  rsaquo ›  oline ‾  frasl ⁄  euro €  trade ™  forall ∀  part ∂  exist ∃'),
  ...parsePairs('empty ∅  nabla ∇  isin ∈  notin ∉  ni ∋  prod ∏  sum ∑  minus −  lowast ∗  radic √  prop ∝  infin ∞  ang ∠'),
  ...parsePairs('and ∧  or ∨  cap ∩  cup ∪  int ∫  there4 ∴  sim ∼  cong ≅  asymp ≈  ne ≠  equiv ≡  le ≤  ge ≥  sub ⊂  sup ⊃'),
  ...parsePairs('nsub ⊄  sube ⊆  supe ⊇  oplus ⊕  otimes ⊗  perp ⊥  sdot ⋅  lceil ⌈  rceil ⌉  lfloor ⌊  rfloor ⌋  loz ◊'),
  ...parsePairs('spades ♠  clubs ♣  hearts ♥  diams ♦  crarr ↵  check ✓  cross ✗  star ☆  starf ★  phone ☎  num #  commat @'),
  ['ensp', '\u2002'],
  ['emsp', '\u2003'],
  ['thinsp', '\u2009'],
  ['Tab', '\t'],
  ['NewLine', '\n'],
])

/** The characters for references to 0x80 through 0x9F, which the HTML standard decodes as windows-1252. */
const windows1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

const fromCodePoint = (code: number): string => {
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd'
  const character = code >= 0x80 && code <= 0x9f ? windows1252.charAt(code - 0x80) : String.fromCodePoint(code)
  // A reference must not insert control characters other than white space, or noncharacters, which mark placeholders in
  // `createTextAlternative`.
  return /[^\P{Cc}\t\n\f\r]|\p{Noncharacter_Code_Point}/u.test(character) ? '' : character
}

/**
 * Decodes decimal, hexadecimal and named character references. A named reference must end with a semicolon, so `?a=1&copy=2`
 * stays unchanged. Unknown names stay unchanged too. Decoding adds no noncharacters, no lone surrogates, and only those control
 * characters that are white space. Source: HTML Standard, 13.2.5.72 to 13.2.5.80 (character references).
 */
export const decodeEntities = (text: string): string => {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#([0-9]+);?|#[xX]([0-9a-fA-F]+);?|([a-zA-Z][a-zA-Z0-9]{1,15});)/g, (reference, decimal, hex, name) => {
    if (decimal !== undefined) return fromCodePoint(Number.parseInt(decimal, 10))
    if (hex !== undefined) return fromCodePoint(Number.parseInt(hex, 16))
    return named.get(name) ?? reference
  })
}
