// The option `--import` loads this file before the program. It inserts the bug from the environment variable MUTANT when Node
// loads the file that the bug is in.
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
      // Reports that the file was loaded. A thread cannot report this, because it has no channel to the parent process.
      process.send?.({ loaded: mutant.file })
      return { ...loaded, source }
    },
  })
}

// Exits when the parent process exits.
process.once('disconnect', () => process.exit(1))
