import { findStatusCode } from './report-fields.ts'

const maxSearched = 2_000

// The enhanced code in a quoted reply from another server, as in `550 5.1.1`, `550-5.1.1`, `550: 5.1.1` and `550-'5.2.2`.
const inReply = /(?<![\d.])[245]\d\d[-: ]{1,2}[#'"]?([245]\.\d{1,3}\.\d{1,3})(?![\d.]*\d)/g
const replyCode = /(?<![\d.])(5\d\d)[-: ]/

// "Other or undefined" codes (RFC 3463). Mail servers report such a code if the server that rejected the message gave none.
const isUnspecific = (code: string): boolean => /^5\.[01235]\.0$/.test(code)

// Exchange Online rejects nonexistent recipients with the code for a routing error:
// https://support.microsoft.com/topic/c0e98a8e-81db-49c2-9bf1-32a1734d3e77
const unknownAtExchange = /(?<![\d.])5\.4\.1\b[^\n]{0,200}\brecipient address rejected: access denied\b/i

// Gmail rejects messages to a user who receives too many with the code for a disabled mailbox:
// https://support.google.com/a/answer/3726730
const receivesTooMany = /\breceiving mail (?:at a rate that|too quickly)\b|\bReceivingRate/i

// An address can contain words such as `dmarc` or `spam`.
const addresses = /[^\s@]{1,100}@[^\s@]{1,300}/g

// Servers also write a word that the language check bans, so the patterns contain only parts of it. cspell:ignore ject

type Cause = readonly [phrase: RegExp, code: string]

const full: readonly Cause[] = [
  [/\b(?:mailbox|inbox|maildir|account|user|recipient)\b[^.\n]{0,40}\b(?:full|over quota)\b|\bover ?quota\b|\bquota exceeded\b/i, '5.2.2'],
  [/\bexceed(?:s|ed|ing)?\b[^.\n]{0,40}\b(?:quota|storage)\b/i, '5.2.2'],
]

const sender: readonly Cause[] = [
  [/\bsender (?:\w+ ){0,2}(?:re(?:ject|fus)ed|denied|blocked|not allowed)\b|\bsender (?:verify|verification) failed\b/i, '5.1.8'],
  [/\b(?:invalid|unroutable|unauthenticated) senders?\b/i, '5.1.8'],
]

const policyMessageOrUnknownUser: readonly Cause[] = [
  [
    /\b(?:block|(?<!may be )black)[- ]?list|\b(?:spamhaus|spamcop|barracudacentral|dnsbl|(?<!\.)rbl)\b|\bblocked (?:- see|using|for abuse)\b/i,
    '5.7.1',
  ],
  [/\bmessages from \S+ weren't sent\b|\bfrequency limited\b|\brate[- ]limited\b|\b(?:reverse DNS|rDNS|PTR record)\b/i, '5.7.1'],
  [/\b(?:as|is|like|contains|of|(?:blocked|re(?:ject|fus)ed) (?:for|by|due to)) (?:(?!not )\w+ ){0,2}(?:spam|unsolicited)/i, '5.7.1'],
  [/\bspam (?:\w+ )?(?:was |is )?(?:detected|re(?:ject|fus)ed|blocked|matched|not accepted)\b|\bspam points\b|\banti-?spam\b/i, '5.7.1'],
  [/\bvirus(?:es)? (?:detected|found)\b|\b(?:SPF|DKIM|DMARC|sender policy framework)\b(?!-)/i, '5.7.1'],
  [/\b(?:denied|re(?:ject|fus)ed|blocked) (?:by|for|due to) (?:\w+ ){0,2}(?:policy|policies|restrictions?)\b/i, '5.7.1'],
  [/\bcontent (?:policy|restrictions?|filter)\b|\badministrative(?:ly)? prohibit/i, '5.7.1'],
  [/\brelay(?:ing)? (?:[^\n]{0,60} )?(?:denied|prohibited|not permitted|not allowed)\b/i, '5.7.1'],
  [/\b(?:permitted|allowed|unable) to relay\b|\binsecure mail relay\b|\bSMTP authentication\b/i, '5.7.1'],
  [/\bmessage (?:\w+ )?(?:is )?too (?:big|large|long)\b|\b(?:message|e-?mail) (?:size|length) exceeds\b|\bsize limit\b/i, '5.3.4'],
  [/\b(?:maximum|max) (?:\w+ )?message size\b/i, '5.3.4'],
  [/\b(?:user|recipient|mailbox|address) (?:is )?(?:unknown|not found)\b|\bunknown (?:user|recipient|mailbox)\b/i, '5.1.1'],
  [/\bno such (?:user|recipient|mailbox|address|person)\b|\binvalid recipient\b|\bnot our (?:user|customer)\b/i, '5.1.1'],
  [/\bdoesn't have an? \S{1,100} account\b|\b(?:user|recipient|mailbox) (?:does not|doesn't) exist\b/i, '5.1.1'],
]

const disabled: readonly Cause[] = [[/\b(?:mailbox|account) (?:is |has been )?(?:disabled|inactive|suspended|unavailable)\b/i, '5.2.1']]

// These phrases say only that the server gave up (4.4.7), and not why the attempts failed.
const gaveUp: readonly Cause[] = [
  [
    /\bmultiple retries\b|\bretry time(?:out exceeded| not reached)|\bhosts?\b[^\n]{0,80}\bfailing for a long time\b|\bmessage expired\b/i,
    '4.4.7',
  ],
]

/**
 * Phrases in many mail servers' bounces, each with the equivalent status code (RFC 3463). The first group with a match determines
 * the code. A rejected sender precedes an unknown user, because both can be the same reply. "Mailbox unavailable" can also mean a
 * policy (RFC 5321, section 4.2.3). Most phrases are from the rules and messages of Sisimai:
 * https://github.com/sisimai/rb-sisimai/tree/master/lib/sisimai/reason
 */
const causes = [full, sender, policyMessageOrUnknownUser, disabled, gaveUp]

/** Returns the code of the first phrase in the text. Phrases that follow are often advice, such as a link about spam. */
const firstIn = (text: string, group: readonly Cause[]): string | undefined =>
  group
    .map(([phrase, code]) => ({ at: text.search(phrase), code }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at)[0]?.code

/**
 * Returns the most specific code for a bounce. The candidates, in order of preference:
 *
 * 1. the code in the last reply that the text quotes
 * 2. the status, which comes second because some mail servers report a status that contradicts the reply
 * 3. the first code in the text
 * 4. the code for a known phrase
 * 5. an unspecific code such as `5.1.0`
 * 6. a three-digit reply code
 * 7. `5.0.0`, which some mail servers report for every failure
 *
 * Three cases take precedence over this list: a status that starts with `4`, `5.1.1` for an unknown recipient at Exchange Online,
 * and `5.2.122` for a recipient at Gmail who receives too many messages.
 * @param status The report's status (RFC 3463), if it has one.
 * @param text The bounce's diagnostic text: a quoted reply from another server, or an explanation.
 */
export function pickBounceCode(status: string | undefined, text: string | undefined): string | undefined {
  const searched = text?.slice(0, maxSearched) ?? ''
  const reply = [...searched.matchAll(inReply)].at(-1)?.[1]
  const inText = findStatusCode(searched)
  // If a temporary failure lasted too long, the status starts with `4`. This status is returned rather than a code from the text.
  // The status covers all attempts, whereas the text may cover only the last one. Exception: `4.0.0` gives no cause. If the first
  // code in the text starts with `4`, that code is returned instead.
  if (status?.startsWith('4')) return status.endsWith('.0.0') && inText?.startsWith('4') ? inText : status
  if (unknownAtExchange.test(searched)) return '5.1.1'
  if (receivesTooMany.test(searched)) return '5.2.122'
  const codes = [reply, status, inText].filter((code) => code !== undefined)
  const cause = () => {
    const phrases = searched.replace(addresses, ' ')
    return causes.map((group) => firstIn(phrases, group)).find((code) => code !== undefined)
  }
  const unspecific = () => codes.find((code) => code !== '5.0.0') ?? replyCode.exec(searched)?.[1] ?? codes[0]
  return codes.find((code) => !isUnspecific(code)) ?? cause() ?? unspecific()
}
