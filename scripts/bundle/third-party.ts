// Collects the licenses of the packages in a bundle, because most licenses must be distributed with the code.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

const packageFolder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/
const licenseFile = /^(?:licen[cs]e|notice|copying)/i
const rule = '='.repeat(80)

// PGlite contains PostgreSQL, but its package has only the license text of PGlite.
const postgresqlLicense = `PostgreSQL, within @electric-sql/pglite (PostgreSQL)

PostgreSQL Database Management System
(also known as Postgres, formerly known as Postgres95)

Portions Copyright (c) 1996-2026, PostgreSQL Global Development Group

Portions Copyright (c) 1994, The Regents of the University of California

Permission to use, copy, modify, and distribute this software and its documentation for any purpose, without fee, and
without a written agreement is hereby granted, provided that the above copyright notice and this paragraph and the
following two paragraphs appear in all copies.

IN NO EVENT SHALL THE UNIVERSITY OF CALIFORNIA BE LIABLE TO ANY PARTY FOR DIRECT, INDIRECT, SPECIAL, INCIDENTAL, OR
CONSEQUENTIAL DAMAGES, INCLUDING LOST PROFITS, ARISING OUT OF THE USE OF THIS SOFTWARE AND ITS DOCUMENTATION, EVEN IF THE
UNIVERSITY OF CALIFORNIA HAS BEEN ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.

THE UNIVERSITY OF CALIFORNIA SPECIFICALLY DISCLAIMS ANY WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES
OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE. THE SOFTWARE PROVIDED HEREUNDER IS ON AN "AS IS" BASIS, AND THE
UNIVERSITY OF CALIFORNIA HAS NO OBLIGATIONS TO PROVIDE MAINTENANCE, SUPPORT, UPDATES, ENHANCEMENTS, OR MODIFICATIONS.`

/** Returns the folders of the bundled packages, relative to esbuild's working folder. */
const bundledPackages = (metafile: Metafile): string[] => {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs))
  const folders = inputs.map(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? packageFolder.exec(path)?.[0] : undefined))
  return [...new Set(folders.filter((folder) => folder !== undefined))]
}

const noticeOf = (folder: string): string => {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<'name' | 'version' | 'license', string>
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && licenseFile.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), 'utf8').trim())
  if (typeof manifest.license !== 'string' && texts.length === 0) throw new Error(`${folder} does not declare a license.`)
  const missing = 'The package does not contain the text of its license.'
  return [`${manifest.name} ${manifest.version} (${manifest.license})`, ...(texts.length > 0 ? texts : [missing])].join('\n\n')
}

/**
 * Returns the license names and license texts of all packages in a bundle.
 * @param root esbuild's working folder.
 * @param copied folders of packages that were copied instead of bundled.
 */
export const thirdPartyNotices = (metafile: Metafile, root: string, copied: readonly string[]): string => {
  const bundled = bundledPackages(metafile).map((folder) => join(root, folder))
  const notices = [...new Set([...bundled, ...copied])].map(noticeOf).sort()
  const intro = 'Flowpost contains the following packages, each under its own license.'
  return `${[intro, ...notices, postgresqlLicense].join(`\n\n${rule}\n`)}\n`
}
