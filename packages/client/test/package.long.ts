import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../src/generated/routes.ts'
import { hoversOf } from './support/hovers.ts'
import { installPacked, root, workspace } from './support/packed.ts'

let folder: string
let project: string
let installed: string

const run = (script: string, ...args: string[]) => spawnSync(process.execPath, [script, ...args], { cwd: root, encoding: 'utf8' })

beforeAll(async () => {
  ;({ folder, project, installed } = await installPacked())
  await mkdir(join(project, 'node_modules/@types'))
  await symlink(join(workspace, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'))
}, 180_000)

afterAll(() => rm(folder, { recursive: true }))

const consumer = `import { createFlowpost, explain, isFlowpostError, type Flow, type Page } from '@flowpost/client'
import { isEventVerificationError, verifyEvent, type FlowpostEvent } from '@flowpost/client/events'
const flowpost = createFlowpost({ baseUrl: 'http://127.0.0.1:1', apiKey: 'fp_x' })
export const flows: Page<Flow> = flowpost.flows.list('prj_1', { limit: 1 })
export const rename = () => flowpost.flows.update('prj_1', 'flw_1', (flow) => ({ ...flow, name: flow.name + '!' }))
export const why = (error: unknown): string => (isFlowpostError(error, 'flows.update') ? error.code : explain(error))
export const always = (): Promise<Flow> => flowpost.flows.get('prj_1', 'flw_1', { at: undefined }, { ifNoneMatch: undefined })
export const cached = (options: { ifNoneMatch?: string; timeout?: number }): Promise<Flow | undefined> => flowpost.flows.get('prj_1', 'flw_1', {}, options)
export const plain = () => flowpost.projects.create({ name: 'a' }, { idempotencyKey: undefined, signal: undefined, timeout: undefined, headers: undefined })
export const write = () => flowpost.projects.update('prj_1', { name: 'a' }, { ifMatch: undefined, maxRetries: undefined, attemptTimeout: undefined })
export const client = () => createFlowpost({ baseUrl: undefined, apiKey: undefined, fetch: undefined, logger: undefined, hooks: undefined })
export const receive = (body: string, headers: Headers): Promise<FlowpostEvent> => verifyEvent(body, headers, ['whsec_x'], { now: undefined })
export const isForged = (error: unknown): boolean => isEventVerificationError(error) && error.code === 'no_matching_signature'
export const follow = async () => { for await (const event of flowpost.events.follow({ cursor: undefined })) if (event.type === 'delivery.failed') event.data.failure }
flowpost[Symbol.dispose]()
`

describe('the packed package', () => {
  it('runs with web platform APIs only', async () => {
    const { outputFiles } = await build({
      entryPoints: [join(installed, 'dist/index.js')],
      bundle: true,
      format: 'iife',
      globalName: 'client',
      write: false,
    })
    const {
      AbortController,
      DOMException,
      Headers,
      Response,
      URLSearchParams,
      clearTimeout,
      crypto,
      performance,
      setTimeout,
      TextDecoder,
    } = globalThis
    const requests: string[] = []
    const fetch = async (url: string, init: RequestInit) => {
      requests.push(`${init.method} ${url} ${new Headers(init.headers).get('user-agent')}`)
      return requests.length === 1 ? new Response('busy', { status: 503 }) : Response.json({ id: 'prj_1' })
    }
    const web = {
      AbortController,
      DOMException,
      Headers,
      Response,
      URLSearchParams,
      clearTimeout,
      crypto,
      performance,
      setTimeout,
      TextDecoder,
      fetch,
    }
    const program = `${outputFiles[0]?.text}
      client.createFlowpost({ baseUrl: 'https://flowpost.example.com', apiKey: 'fp_x', random: () => 0 }).projects.get('prj_1')`
    expect(await runInNewContext(program, web)).toEqual({ id: 'prj_1' })
    expect(requests).toHaveLength(2)
  })

  it('verifies events with web platform APIs only', async () => {
    const { outputFiles } = await build({
      entryPoints: [join(installed, 'dist/events.js')],
      bundle: true,
      format: 'iife',
      globalName: 'events',
      write: false,
    })
    const { TextDecoder, TextEncoder, atob, btoa, crypto } = globalThis
    const program = `${outputFiles[0]?.text}
      const body = '{"id":"evt_1","type":"test.ping"}'
      const secret = 'whsec_' + 'A'.repeat(43) + '='
      events.signEvent(body, { id: 'evt_1', secret }).then((headers) => events.verifyEvent(body, headers, secret))`
    expect(await runInNewContext(program, { TextDecoder, TextEncoder, atob, btoa, crypto })).toEqual({ id: 'evt_1', type: 'test.ping' })
  })

  it('is within its size limits', async () => {
    // size-limit resolves paths relative to its configuration file. The copy makes it measure the installed package.
    const config = join(installed, '.size-limit.json')
    await copyFile(join(root, '.size-limit.json'), config)
    const { status, stdout } = run(join(root, 'node_modules/size-limit/bin.js'), '--json', '--config', config)
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ passed: true, sizeLimit: 8_170 }),
      expect.objectContaining({ passed: true, sizeLimit: 2_000 }),
    ])
    expect(status).toBe(0)
  })

  it('consists of two modules and their types, in both module systems, without dependencies', async () => {
    expect((await readdir(join(project, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual(['@flowpost', '@types'])
    expect(await readdir(join(project, 'node_modules/@flowpost'))).toEqual(['client'])
    const modules = ['events', 'index'].flatMap((name) => [`${name}.cjs`, `${name}.d.cts`, `${name}.d.ts`, `${name}.js`])
    const files = await readdir(join(installed, 'dist'))
    // The declarations of both modules share a file.
    expect(files.map((file) => file.replace(/-[\w-]{8}\./, '-hash.')).sort()).toEqual(
      ['event-types-hash.d.cts', 'event-types-hash.d.ts', ...modules].sort(),
    )
    for (const file of files) {
      const source = await readFile(join(installed, 'dist', file), 'utf8')
      expect(source).not.toMatch(/\bzod\b|ts-rest|@flowpost\/contract/)
      expect(source).not.toMatch(/^\s*(import|export) .*from '(?!\.\/event-types-)|\bimport\(|\brequire\(/m)
    }
  })

  it('has a short signature and complete documentation for every method', () => {
    const operations = Object.entries(routes).flatMap(([group, table]) => Object.keys(table).map((name) => `${group}.${name}`))
    const hovers = hoversOf(project, operations)
    for (const { operation, signature, parameters, documentation, tags } of hovers) {
      expect(signature.length, signature).toBeLessThanOrEqual(280)
      // Only named types from the package, and no types that the compiler inferred.
      expect(signature).toMatch(
        /^\(method\) \w+Operations\.\w+\([\w ?:|&()=><,]*\): (?:Call|SendCall|Page)<[\w |,]+>(?: \(\+\d overloads?\))?$/,
      )
      expect(signature).not.toMatch(/\b(?:any|unknown|Omit|Pick|Partial|Record|Infer|Zod\w*)\b/)
      expect(documentation, operation).toMatch(/^[A-Z][\s\S]+\.\n\nCalls `(?:GET|POST|PUT|PATCH|DELETE) \/v1\/\S+`\. Requires /)
      const described = tags.filter(({ name }) => name === 'param').map(({ text }) => text.split(' ')[0])
      expect(described).toEqual(parameters.filter((name) => name !== 'options' && name !== 'current'))
      expect(tags.find(({ name }) => name === 'throws')?.text).toMatch(/^\{FlowpostError\} `\w+`/)
    }
    expect(hovers.map(({ signature }) => signature)).toContain(
      '(method) FlowsOperations.list(projectId: string, params?: FlowListParams, options?: CallOptions): Page<Flow>',
    )
  })

  it.each([
    ['Node', { module: 'nodenext', lib: ['es2022'], types: ['node'] }],
    ['a bundler for browsers', { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] }],
    ['a worker', { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'webworker'], types: [] }],
  ])('type-checks for %s with both compilers and without `skipLibCheck`', { timeout: 60_000 }, async (_, options) => {
    const strict = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
      target: 'es2022',
    }
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...strict, ...options }, files: ['consumer.ts'] }))
    await writeFile(join(project, 'consumer.ts'), consumer)
    // Some consumers do not use the strictest options.
    for (const [home, ...flags] of [[workspace], [root], [workspace, '--exactOptionalPropertyTypes', 'false']] as const)
      expect(run(join(home, 'node_modules/typescript/bin/tsc'), '-p', project, ...flags)).toMatchObject({ status: 0, stdout: '' })
  })

  // Up to TypeScript 5, `"module": "commonjs"` selects the module resolution `node10`, which ignores `exports`.
  it('type-checks as CommonJS with TypeScript 5', { timeout: 60_000 }, async () => {
    const compilerOptions = { strict: true, skipLibCheck: false, noEmit: true, target: 'es2022', module: 'commonjs', types: ['node'] }
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
    await writeFile(join(project, 'consumer.ts'), consumer)
    const tsc = join(workspace, 'packages/openapi-clients/node_modules/typescript/bin/tsc')
    expect(run(tsc, '-p', project)).toMatchObject({ status: 0, stdout: '' })
  })

  it.each([
    ['import', ['--input-type=module', '--eval', "console.log(Object.keys(await import('@flowpost/client')).join())"]],
    ['require()', ['--input-type=commonjs', '--eval', "console.log(Object.keys(require('@flowpost/client')).join())"]],
  ])('loads with %s', (_, args) => {
    const loaded = spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' })
    expect(loaded.stdout.trim().split(',').sort()).toEqual(['FlowpostError', 'createFlowpost', 'explain', 'isFlowpostError'])
  })

  it('is loaded once by Node, whether imported or required', () => {
    const program =
      "const { createFlowpost } = require('@flowpost/client'); import('@flowpost/client').then((module) => console.log(module.createFlowpost === createFlowpost))"
    const loaded = spawnSync(process.execPath, ['--input-type=commonjs', '--eval', program], { cwd: project, encoding: 'utf8' })
    expect(loaded).toMatchObject({ stdout: 'true\n' })
  })

  it('loads as CommonJS where `require` supports no ES modules', () => {
    const program = "console.log(Object.keys(require('@flowpost/client')).join())"
    const args = ['--no-experimental-require-module', '--input-type=commonjs', '--eval', program]
    const loaded = spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' })
    expect(loaded.stdout.trim().split(',').sort()).toEqual(['FlowpostError', 'createFlowpost', 'explain', 'isFlowpostError'])
  })
})
