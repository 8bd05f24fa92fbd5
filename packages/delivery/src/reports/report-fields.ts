/**
 * The fields in one group of a machine-readable report, keyed by lower-case name. If a name occurs several times, only
 * the first field is included.
 */
export type Fields = ReadonlyMap<string, string>

// Real reports are much shorter. The limits bound the time for parsing a hostile report.
const maxCharacters = 64 * 1024
const maxGroups = 50

/**
 * Parses the fields of `message/delivery-status` (RFC 3464, section 2.1) and `message/feedback-report` (RFC 5965,
 * section 3). Blank lines separate groups. Reads at most 65,536 characters and 50 groups. Skips lines that are not part of
 * a field.
 */
export function parseFieldGroups(text: string): readonly Fields[] {
  const groups: Map<string, string>[] = []
  let group: Map<string, string> | undefined
  let last: string | undefined
  for (const line of text.slice(0, maxCharacters).split(/\r\n|\r|\n/)) {
    if (line.trim() === '') {
      group = undefined
      last = undefined
    } else if (/^[ \t]/.test(line)) {
      if (group && last !== undefined) group.set(last, `${group.get(last)} ${line.trim()}`)
    } else {
      const colon = line.indexOf(':')
      const name = line.slice(0, colon).trim().toLowerCase()
      last = undefined
      if (colon < 1) continue
      if (!group) {
        if (groups.length === maxGroups) return groups
        group = new Map()
        groups.push(group)
      }
      if (group.has(name)) continue
      group.set(name, line.slice(colon + 1).trim())
      last = name
    }
  }
  return groups
}

/** Returns the enhanced status code (RFC 3463) in a text, such as `5.1.1` in `5.1.1 (unknown user)`. */
export const findStatusCode = (text: string | undefined): string | undefined =>
  /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.]*\d)/.exec(text?.slice(0, 2_000) ?? '')?.[1]

/** Returns the time in a date field (RFC 5322); `undefined` if the field contains no valid time. */
export function parseDateField(text: string | undefined): Date | undefined {
  const ms = text === undefined || text.length > 100 ? Number.NaN : Date.parse(text.replace(/\s*\([^)]*\)\s*$/, ''))
  return Number.isNaN(ms) ? undefined : new Date(ms)
}
