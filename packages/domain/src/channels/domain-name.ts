const ascii = /^[ -~]*$/
/** Only characters that a URL's host can contain literally, so that the whole text is the host. */
const hostCharacters = /^[\p{L}\p{M}\p{N}\u00b7\u30fb.-]+$/u

/** Lower-cases each character separately. Otherwise, the result for a Greek sigma would depend on the letters next to it. */
export const toLowerCase = (text: string): string => {
  if (ascii.test(text)) return text.toLowerCase()
  return Array.from(text, (character) => character.toLowerCase())
    .join('')
    .normalize('NFC')
}

/**
 * Converts a domain to lower case and to ASCII (UTS 46), so `Bücher.example` becomes `xn--bcher-kva.example`. A domain
 * that has no ASCII form is only converted to lower case.
 */
export const toAsciiDomain = (domain: string): string => {
  const lowerCase = toLowerCase(domain)
  if (ascii.test(lowerCase) || !hostCharacters.test(lowerCase)) return lowerCase
  // `URL` is the only implementation of UTS 46 that both browsers and Node.js have.
  const url = `http://${lowerCase}`
  return URL.canParse(url) ? new URL(url).hostname : lowerCase
}

/**
 * Converts a domain to lower case and its `xn--` labels to Unicode, so `xn--bcher-kva.example` becomes `bücher.example`. Leaves
 * the labels unchanged if {@link toAsciiDomain} would not convert the result back.
 */
export const toUnicodeDomain = (domain: string): string => {
  const lowerCase = toLowerCase(domain)
  const labels = lowerCase.split('.').map((label) => (label.startsWith('xn--') ? decodePunycode(label.slice(4)) : label))
  const unicode = toLowerCase(labels.join('.'))
  return toAsciiDomain(unicode) === toAsciiDomain(lowerCase) ? unicode : lowerCase
}

const maxCodePoint = 0x10ffff
const base = 36

/** Decodes Punycode (RFC 3492, section 6.2). Returns an empty string if the text is malformed. */
const decodePunycode = (encoded: string): string => {
  const delimiter = encoded.lastIndexOf('-')
  const characters = Array.from(encoded.slice(0, Math.max(0, delimiter)))
  let [codePoint, index, bias] = [128, 0, 72]
  for (let position = delimiter + 1; position < encoded.length; ) {
    const previous = index
    let weight = 1
    for (let k = base; ; k += base) {
      // In Punycode, `a` to `z` are the digits 0 to 25, and `0` to `9` are the digits 26 to 35.
      const digit = (Number.parseInt(encoded.charAt(position), base) + 26) % base
      if (Number.isNaN(digit)) return ''
      position += 1
      index += digit * weight
      const threshold = Math.min(Math.max(k - bias, 1), 26)
      if (digit < threshold) break
      weight *= base - threshold
    }
    const length = characters.length + 1
    codePoint += Math.floor(index / length)
    // Also ends the decoding of an overlong number, which is not finite.
    if (!(codePoint <= maxCodePoint)) return ''
    bias = adaptBias(index - previous, length, previous === 0)
    index %= length
    characters.splice(index, 0, String.fromCodePoint(codePoint))
    index += 1
  }
  return characters.join('')
}

/** Returns the bias for the next number (RFC 3492, section 6.1). */
const adaptBias = (difference: number, length: number, isFirst: boolean): number => {
  let delta = Math.floor(difference / (isFirst ? 700 : 2))
  delta += Math.floor(delta / length)
  let k = 0
  for (; delta > 455; k += base) delta = Math.floor(delta / 35)
  return k + Math.floor((36 * delta) / (delta + 38))
}
