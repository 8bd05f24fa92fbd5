// Runs `pnpm docs:dev`: serves the site, and writes its content again when a source file changes.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { writeContent } from './content.ts'
import { configurationSource } from './reference/environment.ts'
import { repositoryRoot } from './repository.ts'
import { sourceFiles } from './sources.ts'
import { watchSources } from './watch-sources.ts'

const site = fileURLToPath(new URL('..', import.meta.url))
const delayMs = 200

await writeContent()
const server = spawn(process.execPath, ['node_modules/vitepress/bin/vitepress.js', 'dev', '.', ...process.argv.slice(2)], {
  cwd: site,
  stdio: 'inherit',
})
server.on('exit', (code) => process.exit(code ?? 1))

let timer: NodeJS.Timeout | undefined
const update = (): void => {
  clearTimeout(timer)
  timer = setTimeout(() => {
    writeContent().catch((error: unknown) => console.error(error))
  }, delayMs)
}
watchSources(repositoryRoot, [...sourceFiles().values(), configurationSource], update)
