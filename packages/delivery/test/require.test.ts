import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

describe('require', () => {
  it('loads the package and its conformance suite without a warning', () => {
    const program = `for (const name of ['@flowpost/delivery', '@flowpost/delivery/conformance']) console.log(Object.keys(require(name)).length > 0)`
    // In the package's folder, the package's own name resolves to its exports.
    const cwd = new URL('..', import.meta.url)
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=commonjs', '--eval', program], { cwd, encoding: 'utf8' })
    expect({ stdout, stderr }).toEqual({ stdout: 'true\ntrue\n', stderr: '' })
  })
})
