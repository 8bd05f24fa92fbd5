// Implements `pnpm bundle [folder]`: bundles the server into a folder that needs only Node 24 to run.
import { join, resolve } from 'node:path'
import { folderSize } from './bundle/folder-size.ts'
import { bundleServer, root } from './bundle/server-bundle.ts'

const argument = process.argv[2]
// pnpm runs scripts in the root of the repository. `INIT_CWD` is the folder in which the user called pnpm.
const folder = argument === undefined ? join(root, 'apps/api/dist') : resolve(process.env['INIT_CWD'] ?? '.', argument)
await bundleServer(folder)
const { files, mebibytes } = folderSize(folder)
console.log(`${folder}: ${files} files, ${mebibytes.toFixed(1)} MiB. Run it with \`node ${join(folder, 'bin/flowpost.js')}\`.`)
