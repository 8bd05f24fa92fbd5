// Inserts a bug into one file of a program when Node loads that file. The environment variable MUTANT describes the bug. Node's
// option `--import` loads this module before the program.
import { registerHooks } from 'node:module'
import { applyMutant, type Mutant } from '../mutant.ts'

type Change = Pick<Mutant, 'name' | 'file' | 'find' | 'replace'>

const text = process.env['MUTANT']
if (text !== undefined) {
  const mutant = JSON.parse(text) as Change
  const changed = new URL(`../../../${mutant.file}`, import.meta.url).href
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context)
      if (url !== changed) return loaded
      const source = applyMutant(Buffer.from(loaded.source as Uint8Array).toString('utf8'), mutant)
      // Reports to the parent process that the file was loaded. In a worker thread, `process.send` is undefined.
      process.send?.({ loaded: mutant.file })
      return { ...loaded, source }
    },
  })
}

// Exits when the parent process exits.
process.once('disconnect', () => process.exit(1))
