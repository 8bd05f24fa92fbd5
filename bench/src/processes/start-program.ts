import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Call, Program, Reply } from './rpc.ts'

/** A program in a child process. */
export interface Running<Offered extends Program> {
  readonly pid: number
  /** Calls a function of the program. Rejects if the function fails, or if the process exits. */
  call<Name extends keyof Offered & string>(name: Name, ...argument: Parameters<Offered[Name]>): ReturnType<Offered[Name]>
  stop(): Promise<void>
}

/** Runs a file in a child process. The file must expose the functions of `Offered`. */
export const startProgram = <Offered extends Program>(file: URL): Running<Offered> => {
  const child = fork(fileURLToPath(file), { serialization: 'advanced' })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let calls = 0
  let stopping = false

  child.on('message', (reply: Reply) => {
    const caller = waiting.get(reply.id)
    waiting.delete(reply.id)
    if ('error' in reply) caller?.reject(new Error(reply.error))
    else caller?.resolve(reply.result)
  })
  child.on('exit', (code, signal) => {
    for (const caller of waiting.values()) caller.reject(new Error(`${file.pathname} exited (${signal ?? code}).`))
    waiting.clear()
  })

  return {
    pid: child.pid ?? 0,
    call: (name, ...[argument]) => {
      if (stopping || !child.connected) throw new Error(`${file.pathname} is not running.`)
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
