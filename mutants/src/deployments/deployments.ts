import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ModelTarget } from '@flowpost/testing/conformance/model'
import { conformanceDeployments } from '../../../apps/api/test/support/conformance-deployments.ts'
import { modelEnvironment } from '../../../apps/api/test/support/model-environment.ts'
import { startSmtpSink } from '../../../apps/api/test/support/smtp-sink.ts'
import { createModelMock, modelTarget } from '../../../packages/testing/test/conformance/model-target.ts'
import type { Kind, Mutant } from '../mutant.ts'
import type { MutatedProgram } from '../run-mutant.ts'
import { mockModelTarget, startMockProcess } from './mock-process.ts'
import { createDataTemplate, keys, type ServerProcess, serverModelTarget } from './server-process.ts'

/**
 * A factory for the programs under test. All servers use the same mail server, and each starts on a separate copy of one
 * migrated data folder. All mocks are compared with the same server, which has no mutant.
 */
export interface Deployments extends AsyncDisposable {
  /** Creates a server or a mock, with the mutant if one is given. Call its `start` before running checks on it. */
  readonly create: (kind: Kind, mutant?: Mutant) => MutatedProgram
}

const once = <T>(compute: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | undefined
  return () => (result ??= compute())
}

/**
 * Returns a mock to compare with a server. The clock of the mock is left out, because the clock of a server cannot be
 * advanced.
 */
const mockTargetWithoutClock = (): ModelTarget => {
  const { clock: _, ...target } = modelTarget('mock', createModelMock(1))
  return target
}

/** Creates the {@link Deployments}. Programs start when they are first used. */
export const createDeployments = (): Deployments => {
  const stack = new AsyncDisposableStack()

  const environment = once(async () => {
    // Programs start faster if they share compiled code.
    const cache = await mkdtemp(join(tmpdir(), 'flowpost-mutants-cache-'))
    stack.defer(() => rm(cache, { recursive: true, force: true }))
    return { NODE_COMPILE_CACHE: cache }
  })
  const template = once(async () => stack.use(await createDataTemplate(await environment())))
  const smtp = once(async () => stack.use(await startSmtpSink()))
  const referenceServer = once(async () => {
    const server = await (await template()).startServer(undefined, modelEnvironment)
    stack.defer(server.kill)
    return server
  })

  const createServer = (mutant: Mutant | undefined): MutatedProgram => {
    const starting: Promise<ServerProcess>[] = []
    const servers: ServerProcess[] = []
    const start = async (variables: Readonly<Record<string, string>>): Promise<ServerProcess> => {
      const { startServer } = await template()
      const server = startServer(mutant, variables)
      starting.push(server)
      servers.push(await server)
      return server
    }
    const deployments = conformanceDeployments.map(({ shape, environment: environmentOf }) => ({
      shape: { ...shape, baseUrl: '', apiKey: keys.alice, otherApiKey: keys.bob },
      start: once(async () => {
        const { url } = await start(environmentOf((await smtp()).url))
        return { ...shape, baseUrl: url, apiKey: keys.alice, otherApiKey: keys.bob }
      }),
    }))
    const model = once(() => start(modelEnvironment))
    return {
      start: async () => void (await deployments[0]?.start()),
      deployments: async () => deployments,
      modelTargets: async () => [mockTargetWithoutClock(), serverModelTarget((await model()).url)],
      hasLoaded: () => servers.some((server) => server.hasLoaded()),
      [Symbol.asyncDispose]: async () => {
        // A check that exceeded its deadline may still be starting a deployment.
        await Promise.allSettled(starting)
        await Promise.all(servers.map((server) => server.kill()))
      },
    }
  }

  const createMock = (mutant: Mutant | undefined): MutatedProgram => {
    const running = once(async () => startMockProcess(mutant, await environment()))
    let loaded = () => false
    let kill = async () => {}
    return {
      start: async () => {
        const program = await running()
        loaded = program.hasLoaded
        kill = program.kill
      },
      deployments: async () => (await running()).ready.conformance.map((shape) => ({ shape, start: async () => shape })),
      modelTargets: async () => [mockModelTarget(await running()), serverModelTarget((await referenceServer()).url)],
      hasLoaded: () => loaded(),
      [Symbol.asyncDispose]: () => kill(),
    }
  }

  return {
    create: (kind, mutant) => (kind === 'server' ? createServer(mutant) : createMock(mutant)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
