import { utf8Length } from '../text-length.ts'
import type { TargetResult } from './channel.ts'

/** Most octets of the part before `@` (RFC 5321, 4.5.3.1.1). */
const maxLocalOctets = 64
/** Most octets of an address: a path of 256 without its angle brackets (RFC 5321, 4.5.3.1.3; RFC 3696, erratum 1690). */
const maxAddressOctets = 254
/** Most code units of what may be an address once it is in NFC, which makes one code point of four at most. */
const maxGivenUnits = 8 * maxAddressOctets
/** Most octets of a domain label (RFC 1035, 2.3.4). */
const maxLabelOctets = 63
/** Most characters of a label outside ASCII: its form for the DNS is `xn--` and at least one octet for each. */
const maxUnicodeLabelCharacters = maxLabelOctets - 'xn--'.length

const tooLong = `An email address has at most ${maxAddressOctets} octets.`

/** White space, control, format and private-use characters, lone surrogates and noncharacters. */
const invisible = /[\s\p{Z}\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Noncharacter_Code_Point}]/u
/** `Dot-string` of RFC 5321, 4.1.2, with the UTF-8 that RFC 6531, 3.3 adds. */
const dotString = /^[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+)*$/u
const printableAscii = /^[ -~]*$/
/** A label of ASCII letters, digits and hyphens (RFC 1123, 2.1), and one of letters, marks and digits of any script (RFC 5892). */
const asciiLabel = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/
const unicodeLabel = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}\u00b7\u30fb-]*$/u

/**
 * Reads one email address, as in `ops@example.com`: no display name, no angle brackets, no list.
 *
 * The part before `@` is a dot-string, in ASCII or internationalized (RFC 6531). Its quoted form (`"a b"@...`)
 * is refused: RFC 5321, 4.1.2 advises against it, providers rarely take it, and it could hold the `;` and `:`
 * of an override. The domain has at least two labels, in ASCII or internationalized; an IP address is refused,
 * in brackets or bare, and so is a name without a dot (RFC 5321, 2.3.5 wants it fully qualified).
 *
 * The target is the address in NFC, otherwise as it was written. The key has the domain in lower case; the part
 * before `@` keeps its case, which only the receiving host may interpret (RFC 5321, 2.4).
 */
export const parseEmailAddress = (address: string): TargetResult => {
  // First of all: the time that NFC takes is quadratic in the length of a run of combining marks.
  if (address.length > maxGivenUnits) return refused(tooLong)
  const target = address.normalize('NFC')
  if (/[<>(),;"]/.test(target))
    return refused('Give one plain email address, as in ops@example.com: no name, quotes, angle brackets or list.')
  if (invisible.test(target)) return refused('An email address has no blanks, line breaks or invisible characters.')
  const at = target.indexOf('@')
  if (at < 0) return refused('An email address has an "@", as in ops@example.com.')
  if (target.includes('@', at + 1)) return refused('An email address has a single "@".')

  const local = target.slice(0, at)
  const domain = lowerCase(target.slice(at + 1))
  // Compatibility characters must not turn into an "@" or ".." where a mail system maps them.
  if (!dotString.test(local) || !dotString.test(local.normalize('NFKC')))
    return refused('The part before "@" has letters, digits and !#$%&\'*+-/=?^_`{|}~, and single dots within.')
  if (utf8Length(local) > maxLocalOctets) return refused(`The part before "@" has at most ${maxLocalOctets} octets.`)
  const fault = domainFault(domain)
  if (fault !== undefined) return refused(fault)
  if (utf8Length(target) > maxAddressOctets) return refused(tooLong)
  return { ok: true, target, key: `${local}@${domain}` }
}

/** What is wrong with a domain in lower case. */
const domainFault = (domain: string): string | undefined => {
  if (domain.startsWith('[')) return 'The domain must be a name; an IP address is not allowed.'
  const labels = domain.split('.')
  if (labels.length < 2) return 'The domain must be fully qualified, as in example.com.'
  if (!labels.every(isLabel))
    return 'The domain has labels of letters, digits and inner hyphens, each of at most 63 octets, separated by single dots.'
  return /^[0-9]+$/.test(labels.at(-1) ?? '') ? 'The domain must not end in a number; an IP address is not allowed.' : undefined
}

const isLabel = (label: string): boolean => {
  if (asciiLabel.test(label)) return label.length <= maxLabelOctets
  if (!unicodeLabel.test(label) || label.endsWith('-')) return false
  // A label that compatibility mapping changes is not valid in IDNA (RFC 5892, 2.2), and may look like another one.
  return label.normalize('NFKC') === label && [...label].length <= maxUnicodeLabelCharacters
}

/** Lower case of each character by itself: that of the whole would depend on the neighbours of a sigma. */
const lowerCase = (domain: string): string => {
  if (printableAscii.test(domain)) return domain.toLowerCase()
  return Array.from(domain, (character) => character.toLowerCase())
    .join('')
    .normalize('NFC')
}

const refused = (message: string): TargetResult => ({ ok: false, message })
