/** The path at which the site is served, with slashes at both ends. GitHub Pages serves a project at `/<repository>/`. */
export const docsBase = process.env['DOCS_BASE'] ?? '/'

if (!/^\/(?:[\w.-]+\/)*$/.test(docsBase)) throw new Error('DOCS_BASE must be a path with slashes at both ends, such as /flowpost/.')
