import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Answer, Call, Program } from './calls.ts'

/** A program that runs in a process of its own. */
export interface Running<Offered extends Program> {
  readonly pid: number
  /** Calls a function of the program. Rejects with what it threw, or when the process ends. */
  call<Name extends keyof Offered & string>(name: Name, ...argument: Parameters<Offered[Name]>): ReturnType<Offered[Name]>
  stop(): Promise<void>
}

/** Starts a file that offers functions, as the type parameter says. */
export const startProgram = <Offered extends Program>(file: URL): Running<Offered> => {
  const child = fork(fileURLToPath(file), { serialization: 'advanced' })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let calls = 0
  let stopping = false

  child.on('message', (answer: Answer) => {
    const caller = waiting.get(answer.id)
    waiting.delete(answer.id)
    if ('error' in answer) caller?.reject(new Error(answer.error))
    else caller?.resolve(answer.result)
  })
  child.on('exit', (code, signal) => {
    for (const caller of waiting.values()) caller.reject(new Error(`${file.pathname} has ended (${signal ?? code}).`))
    waiting.clear()
  })

  return {
    pid: child.pid ?? 0,
    call: (name, ...[argument]) => {
      if (stopping || !child.connected) throw new Error(`${file.pathname} does not run.`)
      calls += 1
      const caller = Promise.withResolvers<unknown>()
      waiting.set(calls, caller)
      child.send({ id: calls, name, argument } satisfies Call)
      return caller.promise as never
    },
    stop: async () => {
      stopping = true
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
