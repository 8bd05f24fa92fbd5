import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** A static file in the outbox. */
export interface Asset {
  readonly type: string
  readonly body: Buffer
}

/** The outbox's static files, and the file names that the pages link to. */
export interface Assets {
  /** The files, keyed by name. A name contains a hash of the content, so responses can be cached forever. */
  readonly byName: ReadonlyMap<string, Asset>
  readonly stylesheet: string
  readonly script: string
  readonly icon: string
}

/** The style sheets in the order of the cascade. They are served as one file. */
const stylesheets = ['theme.css', 'base.css', 'components.css', 'list.css', 'message.css', 'message-views.css']

const read = (file: string): Buffer => readFileSync(new URL(`./assets/${file}`, import.meta.url))

/**
 * Reads the files in the folder `assets` next to this module.
 * @throws Error when a file is missing.
 */
export const readAssets = (): Assets => {
  const byName = new Map<string, Asset>()
  const add = (extension: string, type: string, body: Buffer): string => {
    const hash = createHash('sha256').update(body).digest('hex').slice(0, 12)
    const name = `outbox.${hash}.${extension}`
    byName.set(name, { type, body })
    return name
  }
  return {
    byName,
    stylesheet: add('css', 'text/css; charset=utf-8', Buffer.concat(stylesheets.map(read))),
    script: add('js', 'text/javascript; charset=utf-8', read('outbox.js')),
    icon: add('svg', 'image/svg+xml', read('icon.svg')),
  }
}
