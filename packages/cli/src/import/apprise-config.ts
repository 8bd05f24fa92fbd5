import type { YAMLParseError } from 'yaml'
import { CliError } from '../cli-error.ts'
import type { ImportedPart, Mapping } from './imported-service.ts'
import { mapAppriseUrl } from './map-apprise.ts'

const urlPattern = /^[a-z][a-z0-9]{0,31}:\/\//i

const readTags = (value: unknown): string[] =>
  [value]
    .flat()
    .flatMap((tag) => (typeof tag === 'string' || typeof tag === 'number' ? String(tag).split(/[\s,]+/) : []))
    .filter((tag) => tag !== '')

/** Reads a configuration in Apprise's text format: one URL per line, optionally preceded by tags and `=`. */
const readTextConfig = (text: string): ImportedPart[] =>
  text.split(/\r?\n/).flatMap((rawLine, index) => {
    const line = rawLine.trim()
    const origin = `line ${index + 1}`
    const skip = (reason: string): ImportedPart[] => [{ origin, labels: [], mapping: { reason } }]
    if (line === '' || /^[#;]/.test(line)) return []
    if (/^include\s/i.test(line)) return skip('Files and URLs after "include" are not read. Import them separately.')
    // If a URL follows the first `=`, the text before it lists tags. Otherwise, the `=` is part of a URL or a tag group.
    const [, tags = '', url] = /^(?:([^=]*?)\s*=\s*)?([a-z][a-z0-9]{0,31}:\/\/.*)$/i.exec(line) ?? []
    if (url === undefined) return skip(line.includes('=') ? 'Flowpost has no tag groups.' : 'This is neither a URL nor a comment.')
    return [{ origin, labels: readTags(tags), mapping: mapAppriseUrl(url) }]
  })

/** Describes an error without the parser's message, which may contain a secret. */
const describeYamlError = (error: unknown): string => {
  const [start] = (error as Partial<YAMLParseError>).linePos ?? []
  // Only errors about aliases have no position.
  return start ? `line ${start.line}, column ${start.col}` : 'an alias is unknown, or there are too many aliases'
}

type YamlEntry = Readonly<Record<string, unknown>>

const isEntry = (value: unknown): value is YamlEntry => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Adds a YAML entry's fields to a URL as parameters, as Apprise does. */
const addParams = (url: string, entry: YamlEntry): string => {
  const params = Object.entries(entry).filter(([name]) => !['url', 'tag', 'schema'].includes(name))
  const texts = params.flatMap(([name, value]) => {
    const values = [value].flat().filter((item) => ['string', 'number', 'boolean'].includes(typeof item))
    return values.length > 0 ? [`${encodeURIComponent(name)}=${encodeURIComponent(values.map(String).join(','))}`] : []
  })
  return texts.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${texts.join('&')}`
}

/** Returns the URLs in one item of the YAML list `urls`. Each URL comes with the YAML fields for its parameters and tags. */
const readItem = (item: unknown): readonly (readonly [string, YamlEntry])[] => {
  if (typeof item === 'string') return [[item, {}]]
  if (!isEntry(item)) return []
  if (typeof item['url'] === 'string') return [[item['url'], item]]
  const shared = Object.fromEntries(Object.entries(item).filter(([key]) => !urlPattern.test(key)))
  return Object.entries(item)
    .filter(([key]) => urlPattern.test(key))
    .flatMap(([url, value]) => {
      const entries = [value].flat().filter(isEntry)
      return entries.length === 0 ? [[url, shared] as const] : entries.map((entry) => [url, { ...shared, ...entry }] as const)
    })
}

const toMapping = (url: string, entry: YamlEntry): Mapping => mapAppriseUrl(addParams(url, entry))

/** Reads a configuration in Apprise's YAML format. */
const readYamlConfig = async (text: string): Promise<ImportedPart[]> => {
  const { parse } = await import('yaml')
  let document: unknown
  try {
    // Suppresses the parser's warnings, because they quote the configuration, which may contain secrets.
    document = parse(text, { maxAliasCount: 100, logLevel: 'error' })
  } catch (error) {
    throw new CliError(`The configuration is not valid YAML: ${describeYamlError(error)}.`)
  }
  if (!isEntry(document)) throw new CliError('The configuration has no "urls".')
  const { urls, tag: globalTags, include, groups } = document
  const skipped: ImportedPart[] = []
  const skip = (origin: string, reason: string) => skipped.push({ origin, labels: [], mapping: { reason } })
  if (include !== undefined) skip('include', 'Files and URLs after "include" are not read. Import them separately.')
  if (groups !== undefined) skip('groups', 'Flowpost has no tag groups.')
  const items = Array.isArray(urls) ? urls : urls === undefined ? [] : [urls]
  const parts = items.flatMap((item: unknown, index): ImportedPart[] => {
    const origin = `urls[${index}]`
    const found = readItem(item)
    if (found.length === 0) return [{ origin, labels: [], mapping: { reason: 'This is not a URL.' } }]
    return found.map(([url, entry], position) => ({
      origin: found.length > 1 ? `${origin}[${position}]` : origin,
      labels: readTags([globalTags, entry['tag']].flat()),
      mapping: toMapping(url, entry),
    }))
  })
  return [...skipped, ...parts]
}

/**
 * Reads an Apprise configuration file. Treats it as YAML if it has a top-level field such as `urls` or `version`.
 *
 * @throws {CliError} When the YAML is not valid or is not a mapping.
 */
export const readAppriseConfig = async (text: string): Promise<ImportedPart[]> =>
  /^(?:urls|version|include|groups|tag)\s*:/m.test(text) ? readYamlConfig(text) : readTextConfig(text)
