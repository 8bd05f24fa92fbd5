import { utf8Length } from '../rendering/text-length.ts'
import type { TargetResult } from './channel.ts'

/** The maximum length of the local part, in octets (RFC 5321, section 4.5.3.1.1). */
const maxLocalOctets = 64
/**
 * The maximum length of an address, in octets: a path of 256 without its angle brackets (RFC 5321, section 4.5.3.1.3;
 * RFC 3696, erratum 1690).
 */
const maxAddressOctets = 254
/** The maximum length of the input, in code units. NFC composes at most four code points into one. */
const maxInputUnits = 8 * maxAddressOctets
/** The maximum length of a domain label, in octets (RFC 1035, section 2.3.4). */
const maxLabelOctets = 63
/** The maximum length of a non-ASCII label, in characters. Its DNS form is `xn--` and at least one octet per character. */
const maxUnicodeLabelCharacters = maxLabelOctets - 'xn--'.length

const tooLong = `An email address must have at most ${maxAddressOctets} octets.`

/** White space, control, format and private-use characters, lone surrogates, and noncharacters. */
const invisible = /[\s\p{Z}\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Noncharacter_Code_Point}]/u
/** `Dot-string` of RFC 5321, section 4.1.2, extended by UTF-8 (RFC 6531, section 3.3). */
const dotString = /^[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+)*$/u
const printableAscii = /^[ -~]*$/
/** A label of ASCII letters, digits and hyphens (RFC 1123, section 2.1). */
const asciiLabel = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/
/** A label of letters, marks and digits of any script (RFC 5892). */
const unicodeLabel = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}\u00b7\u30fb-]*$/u

/**
 * Parses one email address, such as `ops@example.com`, without display name, angle brackets or list.
 *
 * The local part is a dot-string, in ASCII or internationalized (RFC 6531). The quoted form (`"a b"@...`) is rejected:
 * RFC 5321, section 4.1.2 advises against it, few providers accept it, and it could contain the separators of an override, `;` and `:`.
 * The domain has at least two labels, in ASCII or internationalized. IP addresses and names without a dot are rejected
 * (RFC 5321, section 2.3.5 requires a fully qualified name).
 *
 * The target is the address in NFC. The key has the domain in lower case. The local part keeps its case, which only the
 * receiving host may interpret (RFC 5321, section 2.4).
 */
export const parseEmailAddress = (address: string): TargetResult => {
  // Checked first, because NFC takes quadratic time for a run of combining marks.
  if (address.length > maxInputUnits) return reject(tooLong)
  const target = address.normalize('NFC')
  if (/[<>(),;"]/.test(target))
    return reject('Must be one plain email address, such as ops@example.com, without name, quotes, angle brackets or list.')
  if (invisible.test(target)) return reject('An email address must not contain spaces, line breaks or invisible characters.')
  const at = target.indexOf('@')
  if (at < 0) return reject('An email address must contain an "@", such as ops@example.com.')
  if (target.includes('@', at + 1)) return reject('An email address must contain a single "@".')

  const local = target.slice(0, at)
  const domain = toLowerCase(target.slice(at + 1))
  // A mail system may map compatibility characters to an "@" or "..".
  if (!dotString.test(local) || !dotString.test(local.normalize('NFKC')))
    return reject('The part before "@" can contain letters, digits, !#$%&\'*+-/=?^_`{|}~ and single inner dots.')
  if (utf8Length(local) > maxLocalOctets) return reject(`The part before "@" must have at most ${maxLocalOctets} octets.`)
  const issue = findDomainIssue(domain)
  if (issue !== undefined) return reject(issue)
  if (utf8Length(target) > maxAddressOctets) return reject(tooLong)
  return { ok: true, target, key: `${local}@${domain}` }
}

/** Returns why a domain, in lower case, is invalid. */
const findDomainIssue = (domain: string): string | undefined => {
  if (domain.startsWith('[')) return 'The domain must be a name; an IP address is not allowed.'
  const labels = domain.split('.')
  if (labels.length < 2) return 'The domain must be fully qualified, such as example.com.'
  if (!labels.every(isLabel))
    return 'The domain must consist of labels separated by single dots. A label has letters, digits and inner hyphens, and at most 63 octets.'
  return /^[0-9]+$/.test(labels.at(-1) ?? '') ? 'The domain must not end in a number; an IP address is not allowed.' : undefined
}

const isLabel = (label: string): boolean => {
  if (asciiLabel.test(label)) return label.length <= maxLabelOctets
  if (!unicodeLabel.test(label) || label.endsWith('-')) return false
  // A label that NFKC changes is not valid in IDNA (RFC 5892, section 2.2), and can look like another one.
  return label.normalize('NFKC') === label && [...label].length <= maxUnicodeLabelCharacters
}

/** Lower-cases each character separately, because the lower case of a sigma depends on its neighbors. */
const toLowerCase = (domain: string): string => {
  if (printableAscii.test(domain)) return domain.toLowerCase()
  return Array.from(domain, (character) => character.toLowerCase())
    .join('')
    .normalize('NFC')
}

const reject = (message: string): TargetResult => ({ ok: false, message })
