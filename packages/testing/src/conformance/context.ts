import {
  createFlowpost,
  type Flow,
  type FlowCreate,
  type Flowpost,
  type FlowpostError,
  isFlowpostError,
  type Project,
} from '@flowpost/client'
import type { Scope } from '../named-types.ts'
import { ConformanceFailure, equal } from './failure.ts'
import { createPlainHttp, type PlainHttp } from './http.ts'
import type { ConformanceTarget, Receiver, UnconfiguredProvider } from './target.ts'

/** What a scenario works with. */
export interface ScenarioContext {
  readonly target: ConformanceTarget
  /** The public client. It makes one attempt, so that what the server says is seen. */
  readonly client: Flowpost
  /** The client of the other user. */
  otherClient(): Flowpost
  readonly http: PlainHttp
  readonly receiver: Receiver
  /** @throws when the target has none. */
  unconfigured(): UnconfiguredProvider
  /** A name that nothing else has. */
  uniqueName(): string
  /** Makes a project, which is removed when the scenario is over. */
  project(owner?: Flowpost): Promise<Project>
  /** Makes a flow to the receiver in a project. */
  flow(project: Pick<Project, 'id'>, fields?: Partial<FlowCreate>): Promise<Flow>
  /** Makes a key, which is revoked when the scenario is over. */
  key(fields: {
    readonly scopes?: readonly Scope[]
    readonly project_id?: string
    readonly expires_at?: string
  }): Promise<{ id: string; key: string }>
  /** An instant, some milliseconds from now on the clock of the server. */
  serverTime(fromNowMs: number): Promise<string>
  /** Fails unless the call fails so. */
  fails(call: PromiseLike<unknown>, status: number, code: string): Promise<FlowpostError>
  /** Has something undone when the scenario is over. */
  cleanUp(work: () => PromiseLike<unknown>): void
  /** Undoes everything. */
  close(): Promise<void>
}

const defaultReceiver: Receiver = { source_type: 'smtp', target: 'conformance@example.com' }

const randomWord = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Makes what one scenario works with. */
export const createContext = (target: ConformanceTarget): ScenarioContext => {
  const clientOf = (apiKey: string) =>
    createFlowpost({
      baseUrl: target.baseUrl,
      apiKey,
      maxRetries: 0,
      dangerouslyAllowBrowser: true,
      ...(target.fetch ? { fetch: target.fetch } : {}),
    })
  const client = clientOf(target.apiKey)
  const receiver = target.receiver ?? defaultReceiver
  const undoing: (() => PromiseLike<unknown>)[] = []
  const uniqueName = () => `conformance ${randomWord()}`
  const need = <T>(value: T | undefined, name: string): T => {
    if (value === undefined) throw new Error(`The scenario wants ${name}, but does not say that it needs it.`)
    return value
  }

  const project: ScenarioContext['project'] = async (owner = client) => {
    const made = await owner.projects.create({ name: uniqueName() })
    undoing.push(() => owner.projects.delete(made.id))
    return made
  }

  return {
    target,
    client,
    otherClient: () => clientOf(need(target.otherApiKey, 'otherApiKey')),
    http: createPlainHttp(target),
    receiver,
    unconfigured: () => need(target.unconfigured, 'unconfigured'),
    uniqueName,
    project,
    flow: (of, fields = {}) => client.flows.create(of.id, { name: uniqueName(), ...receiver, ...fields }),
    key: async ({ scopes, ...fields }) => {
      const { id, key } = await client.apiKeys.create({ name: uniqueName(), ...fields, ...(scopes ? { scopes: [...scopes] } : {}) })
      undoing.push(() => client.apiKeys.delete(id))
      return { id, key }
    },
    serverTime: async (fromNowMs) => {
      const { created_at } = await project()
      return new Date(Date.parse(created_at) + fromNowMs).toISOString()
    },
    fails: async (call, status, code) => {
      try {
        await call
      } catch (error) {
        if (!isFlowpostError(error)) throw error
        equal({ status: error.status, code: error.code }, { status, code }, error.message)
        return error
      }
      throw new ConformanceFailure(`The call must fail with ${status} ${code}, but went well.`)
    },
    cleanUp: (work) => void undoing.push(work),
    close: async () => {
      for (const undo of undoing.splice(0).reverse()) {
        try {
          await undo()
        } catch (error) {
          // The scenario itself may have removed it, or what it belongs to.
          if (!isFlowpostError(error) || error.status !== 404) throw error
        }
      }
    },
  }
}
