import { connect } from 'node:net'
import { Problem, problemMediaType } from '@flowpost/contract'
import { readAnswers, type StreamedAnswer } from './http-stream.ts'
import type { Random } from './random.ts'
import { createWireRequests, type WireRequest } from './wire-requests.ts'

/** What a run has found. */
export interface WireResult {
  /** What was wrong, with the bytes that did it. */
  readonly faults: readonly string[]
  readonly statuses: ReadonlyMap<number, number>
}

const hangMs = 15_000
// How long a connection may be silent before its client says that it has nothing more to say.
const silentMs = 150

/** Writes bytes, half-closes once all is answered or nothing more comes, and reads until the server closes too. */
const exchange = (url: string, { bytes, methods }: WireRequest): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const chunks: Buffer[] = []
    let answers = 0
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const hanging = setTimeout(() => {
      reject(new Error(`the connection is still open after ${hangMs} ms`))
      socket.destroy()
    }, hangMs)
    const silent = setTimeout(() => socket.end(), silentMs)
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      answers += chunk.toString('latin1').match(/HTTP\/1\.1 [2-5]/g)?.length ?? 0
      if (answers >= methods.length) socket.end()
      else silent.refresh()
    })
    // A server that refuses may reset the connection; what it has said before that counts.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(hanging)
      clearTimeout(silent)
      resolve(Buffer.concat(chunks))
    })
    socket.write(bytes)
  })

const answerFault = ({ status, headers, body }: StreamedAnswer, isHead: boolean): string | undefined => {
  for (const name of ['x-request-id', 'x-content-type-options', 'content-security-policy']) if (!headers.get(name)) return `no ${name}`
  if (status >= 500) return 'a fault of the server'
  // 408 is for who is too slow, and has no body.
  if (status < 400 || status === 408 || isHead) return undefined
  if (!headers.get('content-type')?.startsWith(problemMediaType)) return `content type ${headers.get('content-type')}`
  const problem = Problem.safeParse(JSON.parse(body))
  if (!problem.success) return problem.error.message
  if (problem.data.status !== status) return `a problem of status ${problem.data.status}`
  if (status === 405 && !headers.get('allow')) return 'no Allow'
  return problem.data.request_id === headers.get('x-request-id') ? undefined : 'another request id'
}

const check = ({ methods }: WireRequest, bytes: Buffer, seen: (status: number) => void): string | undefined => {
  try {
    const isHead = (index: number) => methods[index] === 'HEAD'
    const answers = readAnswers(bytes, isHead)
    for (const [index, answer] of answers.entries()) {
      seen(answer.status)
      const fault = answerFault(answer, isHead(index))
      if (fault) return `answer ${index + 1}, ${answer.status}: ${fault}`
    }
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Sends bytes that are, or nearly are, requests; a server may refuse them, and must say so as it says everything. */
export const fuzzWire = async (
  server: { readonly url: string },
  key: string,
  random: Random,
  options: { readonly connections: number; readonly atOnce: number },
): Promise<WireResult> => {
  const next = createWireRequests(random, key)
  const faults: string[] = []
  const statuses = new Map<number, number>()
  let made = 0
  const work = async (): Promise<void> => {
    while (made < options.connections) {
      made += 1
      const request = next()
      const told = JSON.stringify(request.bytes.toString('latin1').slice(0, 2_000))
      try {
        const answered = await exchange(server.url, request)
        const fault = check(request, answered, (status) => statuses.set(status, (statuses.get(status) ?? 0) + 1))
        if (fault) faults.push(`${fault}\n  ${told}\n  ${answered.toString('latin1').slice(0, 1_000)}`)
      } catch (error) {
        faults.push(`${(error as Error).message}\n  ${told}`)
      }
    }
  }
  await Promise.all(Array.from({ length: options.atOnce }, work))
  return { faults, statuses }
}
