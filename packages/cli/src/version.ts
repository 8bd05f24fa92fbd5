import { readFileSync } from 'node:fs'

/** The version of this package. The relative path to `package.json` is the same from `src` and `dist`. */
export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
