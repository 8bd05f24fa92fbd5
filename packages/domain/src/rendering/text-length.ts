/**
 * Returns the length of a text in Unicode code points, the unit of character limits. A lone surrogate counts as one code
 * point.
 */
export const codePointLength = (value: string): number => {
  let count = value.length
  for (let at = 0; at + 1 < value.length; at += 1) {
    if (isPairAt(value, at)) {
      count -= 1
      at += 1
    }
  }
  return count
}

/**
 * Returns the length of a text in UTF-8 bytes, without encoding the text. A lone surrogate counts as three bytes,
 * because encoding replaces it with U+FFFD.
 */
export const utf8Length = (value: string): number => {
  let bytes = 0
  for (let at = 0; at < value.length; at += 1) {
    const unit = value.charCodeAt(at)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (isPairAt(value, at)) {
      bytes += 4
      at += 1
    } else bytes += 3
  }
  return bytes
}

const isPairAt = (value: string, at: number): boolean =>
  (value.charCodeAt(at) & 0xfc00) === 0xd800 && (value.charCodeAt(at + 1) & 0xfc00) === 0xdc00
