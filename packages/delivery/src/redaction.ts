/** Most characters of a detail or a response that leaves the package. */
export const maxDetailLength = 1000

const mark = '[redacted]'

/** Most characters that are looked at. A server may answer with far more, and a credential may hold hundreds of secrets. */
const longestRead = 65_536

/** A secret shorter than this would turn up in ordinary words; a text that contains one is dropped as a whole. */
const shortestReplaceable = 4

/** A part of a URL that is shorter than this is no token. */
const shortestUrlToken = 16

/** Makes a text fit to store and show: no secret, no control character, at most 1,000 characters. */
export type Redactor = (text: string) => string

/**
 * Collects every string in the secrets of a credential, and the forms in which a server might echo one
 * (percent-encoded, JSON, base64 alone or within more, as in Basic authentication), and takes them out of any text.
 */
export function createRedactor(secrets: unknown): Redactor {
  const values = [...new Set(stringsIn(secrets))].filter((value) => value !== '')
  const forms = [...new Set(values.flatMap(formsOf))].sort((a, b) => b.length - a.length)
  const encoded = [...new Set(values.flatMap(base64Cores))]
  const hide = (text: string) => hideEncoded(hideForms(text, forms), encoded)
  return (text) => {
    const clean = hide(tidy(hide(text.slice(0, longestRead))))
    // The cut may have gone through a secret, whose beginning is at the end then: out of sight, unless little is left before it.
    return text.length > longestRead && clean.length <= maxDetailLength ? mark : bound(clean)
  }
}

function hideForms(text: string, forms: readonly string[]): string {
  let result = text
  for (const form of forms) {
    if (!result.includes(form)) continue
    if (form.length < shortestReplaceable) return mark
    result = result.replaceAll(form, mark)
  }
  return result
}

/** Hides the whole run of base64 around a core, since its neighbours hold the first and the last bits of the secret. */
function hideEncoded(text: string, cores: readonly string[]): string {
  let result = text
  for (const core of cores) {
    if (!result.includes(core)) continue
    result = result.replaceAll(/[A-Za-z0-9+/_-]+={0,2}/g, (run) => (run.includes(core) ? mark : run))
  }
  return result
}

function formsOf(value: string): string[] {
  const wellFormed = value.toWellFormed()
  const form = new URLSearchParams({ '': wellFormed }).toString().slice(1)
  const texts = [value, tidy(value), encodeURIComponent(wellFormed), form, JSON.stringify(value).slice(1, -1), ...urlParts(value)]
  return texts.filter((text) => text !== '')
}

/** Of a URL that carries a credential: its path, and whatever in it is too long to be a word. Servers like to repeat these. */
function urlParts(value: string): string[] {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) return []
  const { pathname, search, searchParams } = new URL(value)
  const long = [...pathname.split('/'), ...searchParams.values()].filter((part) => part.length >= shortestUrlToken)
  return [...((pathname + search).length >= shortestUrlToken ? [pathname + search] : []), ...long, ...long.map(encodeURIComponent)]
}

/** The characters that the base64 of a longer text has for certain when the value begins at its byte 0, 1 or 2 of 3 (RFC 4648). */
function base64Cores(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8')
  return [0, 1, 2].flatMap((shift) => {
    const base64 = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    const core = base64.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6))
    return core.length < shortestReplaceable ? [] : [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(stringsIn)
}

/** One line without control or direction characters: C0, DEL, C1, line and paragraph separators, bidirectional overrides. */
function tidy(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
      .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')
      .trim()
  )
}

function bound(text: string): string {
  if (text.length <= maxDetailLength) return text
  return `${text.slice(0, maxDetailLength - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
