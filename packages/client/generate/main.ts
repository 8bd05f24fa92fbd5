import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { api } from '@flowpost/contract'
import { generate } from './files.ts'

const root = join(import.meta.dirname, '..')
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
const check = process.argv.includes('--check')
const outdated: string[] = []

for (const [path, source] of generate(api, version)) {
  const file = join(root, path)
  const current = await readFile(file, 'utf8').catch(() => undefined)
  if (current === source) continue
  outdated.push(path)
  if (check) continue
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, source)
}

for (const path of outdated) console.log(`${check ? 'outdated' : 'written'}: ${path}`)
if (check && outdated.length > 0) {
  console.log('Run `pnpm --filter @flowpost/client generate` and commit the result.')
  process.exitCode = 1
}
