import { utf8Length } from '../rendering/text-length.ts'
import type { TargetResult } from './channel.ts'
import { toAsciiDomain, toLowerCase } from './domain-name.ts'

/** The maximum length of the local part, in octets (RFC 5321, section 4.5.3.1.1). */
const maxLocalOctets = 64
/**
 * The maximum length of an address, in octets. An SMTP path has at most 256 octets, and two of them are its angle brackets
 * (RFC 5321, section 4.5.3.1.3; RFC 3696, erratum 1690).
 */
const maxAddressOctets = 254
/**
 * The maximum length of an address before normalization to NFC, in UTF-16 code units. Normalization combines at most four
 * code points (eight code units) into one, so a longer address would still exceed {@link maxAddressOctets} in NFC.
 */
const maxInputUnits = 8 * maxAddressOctets
/** The maximum length of a domain label, in octets (RFC 1035, section 2.3.4). */
const maxLabelOctets = 63
/** The maximum length of a non-ASCII label, in characters. In DNS, such a label is `xn--` followed by at least one octet per character. */
const maxUnicodeLabelCharacters = maxLabelOctets - 'xn--'.length

const tooLong = `An email address must be at most ${maxAddressOctets} bytes long.`

/** White space, control, format and private-use characters, lone surrogates, and noncharacters. */
const invisible = /[\s\p{Z}\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Noncharacter_Code_Point}]/u
/** The unquoted form of a local part: `Dot-string` in RFC 5321, section 4.1.2, extended to UTF-8 by RFC 6531, section 3.3. */
const dotString = /^[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+)*$/u
/** A label of ASCII letters, digits and hyphens (RFC 1123, section 2.1). */
const asciiLabel = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/
/** A label of hyphens, middle dots, and the letters, marks and digits of any script (RFC 5892). */
const unicodeLabel = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}\u00b7\u30fb-]*$/u

/**
 * Parses one plain email address, such as `ops@example.com`. Rejects display names, angle brackets and lists of addresses.
 *
 * The local part is a dot-string, in ASCII or internationalized (RFC 6531). The quoted form (`"a b"@...`) is rejected for
 * three reasons: RFC 5321, section 4.1.2 advises against it, few providers accept it, and it could contain `;` or `:`, which
 * separate the parts of a target list. The domain has at least two labels, in ASCII or internationalized. IP addresses and
 * names without a dot are rejected, because RFC 5321, section 2.3.5 requires a fully qualified name.
 *
 * In the result, `target` is the address in NFC, and `key` is the same address with its domain in lower case and in ASCII, as
 * mail servers receive it. The local part keeps its case, because only the receiving host may interpret it (RFC 5321,
 * section 2.4).
 */
export const parseEmailAddress = (address: string): TargetResult => {
  // The length is checked before normalization, because NFC takes quadratic time for a long run of combining marks.
  if (address.length > maxInputUnits) return reject(tooLong)
  const target = address.normalize('NFC')
  if (/[<>(),;"]/.test(target))
    return reject('Must be a single email address, such as ops@example.com, without a name, quotes, brackets, commas or semicolons.')
  if (invisible.test(target)) return reject('An email address must not contain spaces, line breaks or invisible characters.')
  const at = target.indexOf('@')
  if (at < 0) return reject('An email address must contain an "@", such as ops@example.com.')
  if (target.includes('@', at + 1)) return reject('An email address must contain a single "@".')

  const local = target.slice(0, at)
  const domain = toLowerCase(target.slice(at + 1))
  // The NFKC form is tested too, because a mail system may map a compatibility character to "@" or "..".
  if (!dotString.test(local) || !dotString.test(local.normalize('NFKC')))
    return reject('The part before "@" can contain letters, digits, !#$%&\'*+-/=?^_`{|}~ and single dots, but no dot at either end.')
  if (utf8Length(local) > maxLocalOctets) return reject(`The part before "@" must be at most ${maxLocalOctets} bytes long.`)
  const issue = findDomainIssue(domain)
  if (issue !== undefined) return reject(issue)
  if (utf8Length(target) > maxAddressOctets) return reject(tooLong)
  return { ok: true, target, key: `${local}@${toAsciiDomain(domain)}` }
}

/** Returns an error message for an invalid domain; otherwise `undefined`. `domain` must be in lower case. */
const findDomainIssue = (domain: string): string | undefined => {
  if (domain.startsWith('[')) return 'The domain must be a name; an IP address is not allowed.'
  const labels = domain.split('.')
  if (labels.length < 2) return 'The domain must be fully qualified, such as example.com.'
  if (!labels.every(isLabel))
    return 'The domain must consist of labels separated by single dots. A label has 1 to 63 letters, digits and hyphens (up to 59 if not ASCII), and no hyphen at either end.'
  return /^[0-9]+$/.test(labels.at(-1) ?? '') ? 'The domain must not end in a number; an IP address is not allowed.' : undefined
}

const isLabel = (label: string): boolean => {
  if (asciiLabel.test(label)) return label.length <= maxLabelOctets
  if (!unicodeLabel.test(label) || label.endsWith('-')) return false
  // A label that NFKC changes is invalid in IDNA (RFC 5892, section 2.2) and can look like a different label.
  return label.normalize('NFKC') === label && [...label].length <= maxUnicodeLabelCharacters
}

const reject = (message: string): TargetResult => ({ ok: false, message })
