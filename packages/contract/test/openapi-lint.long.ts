import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createOpenApiDocument } from '../src/index.ts'

const run = promisify(execFile)
const require = createRequire(import.meta.url)

const redocly = async (): Promise<string> => {
  const manifest = require.resolve('@redocly/cli/package.json')
  const { bin } = JSON.parse(await readFile(manifest, 'utf8')) as { bin: { redocly: string } }
  return join(dirname(manifest), bin.redocly)
}

interface Finding {
  readonly severity: string
  readonly ruleId: string
  readonly message: string
}

/** Returns the problems that Redocly reports with its recommended rules. Telemetry and update checks are off. */
const lint = async (document: unknown): Promise<Finding[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'flowpost-openapi-'))
  try {
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(document))
    const { stdout } = await run(process.execPath, [await redocly(), 'lint', '--extends=recommended', '--format=json', 'openapi.json'], {
      cwd: folder,
      env: { ...process.env, CI: 'true', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    }).catch((error: { stdout?: string }) => {
      if (error.stdout?.startsWith('{')) return { stdout: error.stdout }
      throw error
    })
    return (JSON.parse(stdout) as { problems: Finding[] }).problems
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

describe('the OpenAPI document', () => {
  it("passes Redocly's recommended rules", async () => {
    expect(await lint(createOpenApiDocument({ version: '1.0.0' }))).toEqual([])
    expect(
      await lint(
        createOpenApiDocument({
          version: '1.0.0',
          serverUrl: 'https://flowpost.acme.test',
          sourceTypes: ['smtp', 'telegram'],
          oidcIssuer: 'https://login.acme.test',
        }),
      ),
    ).toEqual([])
  })

  it('reports an unresolved reference', async () => {
    const document = createOpenApiDocument({ version: '1.0.0' })
    const { Project: _, ...schemas } = document.components.schemas
    const findings = await lint({ ...document, components: { ...document.components, schemas } })
    expect(findings.map(({ ruleId }) => ruleId)).toContain('no-unresolved-refs')
  })
})
