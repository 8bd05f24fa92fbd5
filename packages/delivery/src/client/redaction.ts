/** The maximum length, in characters, of a `detail` or provider response that leaves this package. */
export const maxDetailLength = 1000

const placeholder = '[redacted]'

/** The maximum number of input characters that are searched for secrets. */
const maxInputLength = 65_536

/**
 * The minimum number of input characters that are searched for secrets. It applies if a credential has so many secrets that
 * `maxComparisons` would allow fewer characters.
 */
const minInputLength = 2_048

/**
 * The maximum product of the number of input characters and the number of search terms. It limits the CPU time for credentials
 * with hundreds of secrets.
 */
const maxComparisons = 10_000_000

/**
 * The minimum length, in characters, of a secret that is replaced within a text. A shorter secret could match
 * part of an ordinary word. If a text contains a shorter secret, the whole text is replaced.
 */
const minReplaceableLength = 4

/** The maximum number of characters with which a UTF-16 code unit is escaped: `%E2%82%AC` is a euro sign. */
const maxEscapeLength = 9

/** The minimum length, in characters, of a secret token in a URL. Shorter parts of a URL may be ordinary words. */
const minUrlTokenLength = 16

/**
 * The maximum number of path segments of a secret URL that are redacted. The same maximum applies to its query values. Without
 * this limit, a URL with hundreds of parts would make every search for secrets slower.
 */
const maxUrlTokens = 8

/** Removes secrets and control characters from text and truncates it to 1,000 characters. */
export type Redactor = (text: string) => string

/**
 * Creates a redactor that removes a credential's secrets from text. It also removes percent-encoded, JSON-escaped and
 * base64-encoded secrets. It detects a base64-encoded secret even if other text was encoded together with it, as in
 * Basic authentication. If only the decoded text contains a secret, because an encoder escapes more characters than
 * JavaScript does or writes hexadecimal digits differently, the result is decoded.
 */
export function createRedactor(secrets: unknown): Redactor {
  const values = [...new Set(collectStrings(secrets))].filter((value) => value !== '')
  const variants = [...new Set(values.flatMap(listVariants))].sort((a, b) => b.length - a.length)
  const base64Fragments = [...new Set(values.flatMap(listBase64Fragments))]
  const maxSecretLength = Math.max(
    0,
    ...base64Fragments.map(({ length }) => length),
    ...values.map(({ length }) => length * maxEscapeLength),
  )
  const replaceSecrets = (text: string) => replaceBase64(replaceVariants(text, variants), base64Fragments)
  const affordableLength = Math.floor(maxComparisons / (variants.length + base64Fragments.length))
  const inputLength = Math.min(maxInputLength, Math.max(minInputLength, affordableLength))
  return (text) => {
    const redacted = replaceDecoded(replaceSecrets(removeControlCharacters(replaceSecrets(text.slice(0, inputLength)))), replaceSecrets)
    // If the input was cut, its last `maxSecretLength` characters may contain the first part of a secret. The search does not
    // find incomplete secrets. Therefore, the whole text is replaced, unless `ellipsize` removes all these characters.
    const mayEndWithSecret = text.length > inputLength && redacted.length <= maxDetailLength + maxSecretLength
    return mayEndWithSecret ? placeholder : ellipsize(redacted, maxDetailLength)
  }
}

/** Returns every string in a value, at any depth. */
export function collectStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(collectStrings)
}

/** Truncates text to `maxLength` UTF-16 code units without splitting a surrogate pair. */
export function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')
}

function ellipsize(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${truncate(text, maxLength - 1)}…`
}

function replaceVariants(text: string, variants: readonly string[]): string {
  let result = text
  for (const variant of variants) {
    if (!result.includes(variant)) continue
    if (variant.length < minReplaceableLength) return placeholder
    result = result.replaceAll(variant, placeholder)
  }
  return result
}

/** Decodes a text. If the decoded text contains secrets, returns it with the secrets replaced. Otherwise, returns the original text. */
function replaceDecoded(text: string, replaceSecrets: (text: string) => string): string {
  let result = text
  let decoded = text
  for (const decode of [decodeJsonEscapes, decodePercentEncoding]) {
    const next = removeControlCharacters(decode(decoded))
    if (next === decoded) continue
    decoded = replaceSecrets(next)
    if (decoded !== next) result = decoded
  }
  return result
}

/** Decodes the escape sequences of JSON strings. PHP escapes `/`, for example, and .NET escapes `+` and `&`. */
function decodeJsonEscapes(text: string): string {
  return text.replace(/(?:\\(?:u[0-9A-Fa-f]{4}|["b\\f/nrt]))+/g, (run) => JSON.parse(`"${run}"`) as string)
}

/** Decodes percent-encoding. Libraries differ in the case of the digits, and in the characters that they encode. */
function decodePercentEncoding(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))
}

/**
 * Replaces each run of base64 characters that contains a fragment of an encoded secret. Replacing only the fragment would
 * leave the characters next to it, which encode the secret's first and last bits.
 */
function replaceBase64(text: string, fragments: readonly string[]): string {
  const found = fragments.filter((fragment) => text.includes(fragment))
  if (found.length === 0) return text
  return text.replaceAll(/[A-Za-z0-9+/_-]+={0,2}/g, (run) => (found.some((fragment) => run.includes(fragment)) ? placeholder : run))
}

function listVariants(secret: string): string[] {
  const wellFormed = secret.toWellFormed()
  const formEncoded = new URLSearchParams({ '': wellFormed }).toString().slice(1)
  const variants = [
    secret,
    removeControlCharacters(secret),
    encodeURIComponent(wellFormed),
    formEncoded,
    JSON.stringify(secret).slice(1, -1),
  ]
  const tokens = listUrlTokens(secret)
  // `replaceDecoded` searches decoded text. A secret that contains percent-encoding does not occur there, only its decoded form.
  // In form encoding, `+` stands for a space, and decoding leaves it unchanged.
  const encoded = [secret, ...tokens].filter((variant) => variant.includes('%'))
  const decoded = [...encoded.map(decodePercentEncoding), secret.replaceAll(' ', '+')].map(removeControlCharacters)
  const all = [...variants, ...tokens].filter((variant) => variant !== '')
  return [...all, ...decoded.filter(({ length }) => length >= minReplaceableLength)]
}

/**
 * Returns the parts of a secret URL that servers often repeat in responses: the path with the query, and the longest path
 * segments and query values. Omits strings shorter than {@link minUrlTokenLength} characters.
 */
function listUrlTokens(secret: string): string[] {
  if (!/^https?:\/\//.test(secret) || !URL.canParse(secret)) return []
  const { pathname, search, searchParams } = new URL(secret)
  const secretsAmong = (parts: Iterable<string>) =>
    [...new Set(parts)]
      .filter((part) => part.length >= minUrlTokenLength)
      .sort((a, b) => b.length - a.length)
      .slice(0, maxUrlTokens)
  // `maxUrlTokens` applies to the path and the query separately. Otherwise, only the eight longest parts of the whole URL would
  // be redacted. If eight path segments were longer than a signature in the query, the signature would not be redacted.
  const tokens = [...secretsAmong(pathname.split('/')), ...secretsAmong(searchParams.values())]
  const path = pathname + search
  return [...(path.length >= minUrlTokenLength ? [path] : []), ...tokens, ...tokens.map(encodeURIComponent)]
}

/**
 * Returns the fragments by which a secret can be found inside longer base64 text. Base64 encodes groups of three bytes
 * (RFC 4648), so the characters depend on whether the secret begins at the first, second or third byte of a group. The
 * result covers all three cases. A fragment omits characters that also encode part of the surrounding text.
 */
function listBase64Fragments(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  return [0, 1, 2].flatMap((offset) => {
    const base64 = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const fragment = base64.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
    return fragment.length < minReplaceableLength ? [] : [fragment, fragment.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Replaces control characters (C0, DEL, C1), line and paragraph separators and bidirectional controls with spaces. */
function removeControlCharacters(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches the characters to remove.
      .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')
      .trim()
  )
}
