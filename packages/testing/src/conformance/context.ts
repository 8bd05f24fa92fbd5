import { type Flow, type FlowCreate, type Flowpost, type FlowpostError, isFlowpostError, type Project } from '@flowpost/client'
import type { Scope } from '../public-types.ts'
import { assertEqual, ConformanceFailure } from './assertions.ts'
import type { Cleanup } from './cleanups.ts'
import { createClients, required } from './clients.ts'
import type { Exchange } from './exchange.ts'
import { createPlainHttp, type PlainHttp } from './http.ts'
import type { ConformanceTarget, Receiver, UnconfiguredProvider } from './target.ts'

/** The clients, helper functions and settings that a scenario uses. */
export interface ScenarioContext {
  readonly target: ConformanceTarget
  /** Aborts when the scenario ends or reaches its time limit. The clients and `http` already use this signal. */
  readonly signal: AbortSignal
  /** The public client, without retries, so that scenarios see every server response. */
  readonly client: Flowpost
  /** Creates a client that uses the target's `otherApiKey`. */
  otherClient(): Flowpost
  readonly http: PlainHttp
  readonly receiver: Receiver
  /**
   * Returns {@link ConformanceTarget.unconfigured}, a provider for which the deployment has no credentials.
   *
   * @throws {Error} If the target has no `unconfigured` provider.
   */
  unconfiguredProvider(): UnconfiguredProvider
  /** Returns a unique name for a resource, such as `conformance 9f86d081884c7d65`. */
  uniqueName(): string
  /** Creates a project that is deleted after the scenario. */
  createProject(): Promise<Project>
  /** Creates a flow that sends to `receiver`, unless `fields` names another receiver. */
  createFlow(project: Pick<Project, 'id'>, fields?: Partial<FlowCreate>): Promise<Flow>
  /** Creates an API key that is revoked after the scenario. */
  createKey(fields: {
    readonly scopes?: readonly Scope[]
    readonly project_id?: string
    readonly expires_at?: string
    readonly mode?: 'live' | 'test'
  }): Promise<{ id: string; key: string }>
  /** Returns the server's current time plus `fromNowMs` milliseconds, as a timestamp. */
  serverTime(fromNowMs: number): Promise<string>
  /**
   * Asserts that a call fails, and returns its error.
   *
   * @throws If the call succeeds, or fails with a different status or code.
   */
  expectFailure(call: PromiseLike<unknown>, status: number, code: string): Promise<FlowpostError>
  /**
   * Registers a cleanup that runs after the scenario. The cleanup must use the clients that it receives, because the
   * scenario's clients can no longer send requests by then.
   */
  onCleanup(cleanup: Cleanup): void
}

const defaultReceiver: Receiver = { source_type: 'smtp', target: 'conformance@example.com' }

const randomWord = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** The dependencies of {@link createContext}. */
export interface ContextDeps {
  readonly exchange: Exchange
  readonly signal: AbortSignal
  /** The list to which the context adds cleanups. */
  readonly cleanups: Cleanup[]
}

/** Creates a scenario's context. */
export const createContext = (target: ConformanceTarget, { exchange, signal, cleanups }: ContextDeps): ScenarioContext => {
  const { client, otherClient } = createClients(target, exchange)
  const receiver = target.receiver ?? defaultReceiver
  const uniqueName = () => `conformance ${randomWord()}`

  const createProject = async () => {
    const project = await client.projects.create({ name: uniqueName() })
    cleanups.push((clients) => clients.client.projects.delete(project.id))
    return project
  }

  return {
    target,
    signal,
    client,
    otherClient,
    http: createPlainHttp(target, exchange),
    receiver,
    unconfiguredProvider: () => required(target.unconfigured, 'unconfigured'),
    uniqueName,
    createProject,
    createFlow: (project, fields = {}) => client.flows.create(project.id, { name: uniqueName(), ...receiver, ...fields }),
    createKey: async ({ scopes, ...fields }) => {
      const { id, key } = await client.apiKeys.create({ name: uniqueName(), ...fields, ...(scopes ? { scopes: [...scopes] } : {}) })
      cleanups.push((clients) => clients.client.apiKeys.delete(id))
      return { id, key }
    },
    serverTime: async (fromNowMs) => {
      const { created_at } = await createProject()
      return new Date(Date.parse(created_at) + fromNowMs).toISOString()
    },
    expectFailure: async (call, status, code) => {
      try {
        await call
      } catch (error) {
        if (!isFlowpostError(error)) throw error
        assertEqual({ status: error.status, code: error.code }, { status, code }, error.message)
        return error
      }
      throw new ConformanceFailure(`The call must fail with ${status} ${code}, but it succeeded.`)
    },
    onCleanup: (cleanup) => void cleanups.push(cleanup),
  }
}
