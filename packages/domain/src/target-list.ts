/** Most entries of an override. */
export const maxTargetEntries = 100

/** One receiver of an override. */
export interface TargetEntry {
  /** Its place in the list, from 1. */
  readonly number: number
  /** The provider that it names; without one it goes to the flows whose provider recognizes the address. */
  readonly sourceType?: string
  readonly address: string
}

/** A fault of the `target` of a request. */
export interface TargetFault {
  readonly pointer: '/target'
  readonly code: 'invalid_target' | 'too_long' | 'override_not_allowed' | 'target_unroutable'
  /** What is wrong, with the number of the entry, and what would be right. */
  readonly message: string
}

/** The entries that could be read, and a fault for each that could not. */
export interface TargetList {
  readonly entries: readonly TargetEntry[]
  readonly errors: readonly TargetFault[]
}

/**
 * Reads the override of a request:
 *
 *     list  = entry *( ";" entry )            ; at most 100
 *     entry = [ source-type ":" ] address     ; blanks around it are ignored
 *
 * What stands before the first `:` is a source type only when it names a registered provider; otherwise the
 * whole entry is the address. An empty entry is a fault, so a list must not end with `;`. Addresses are not
 * checked here.
 *
 * @param isSourceType Whether a provider of this name is registered.
 */
export const parseTargetList = (value: string, isSourceType: (id: string) => boolean): TargetList => {
  const parts = value.split(';')
  if (parts.length > maxTargetEntries) {
    const message = `The target has ${parts.length} entries; at most ${maxTargetEntries} are allowed.`
    return { entries: [], errors: [{ pointer: '/target', code: 'too_long', message }] }
  }

  const entries: TargetEntry[] = []
  const errors: TargetFault[] = []
  const refuse = (message: string) => errors.push({ pointer: '/target', code: 'invalid_target', message })
  for (const [index, part] of parts.entries()) {
    const number = index + 1
    const text = part.trim()
    const colon = text.indexOf(':')
    const head = colon < 0 ? '' : text.slice(0, colon)
    if (text === '') refuse(`Entry ${number} of the target is empty. Entries are separated by ";", without one at the end.`)
    else if (head === '' || !isSourceType(head)) entries.push({ number, address: text })
    else if (colon === text.length - 1) refuse(`Entry ${number} of the target names "${head}" but has no address.`)
    else entries.push({ number, sourceType: head, address: text.slice(colon + 1) })
  }
  return { entries, errors }
}
