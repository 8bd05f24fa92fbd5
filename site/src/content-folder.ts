import { fileURLToPath } from 'node:url'

/** The folder from which VitePress builds the site. Everything in it is generated. */
export const contentFolder = fileURLToPath(new URL('../.content/', import.meta.url))
