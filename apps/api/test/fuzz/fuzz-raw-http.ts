import { connect } from 'node:net'
import { Problem, problemMediaType } from '@flowpost/contract'
import { type ParsedResponse, parseResponses } from './parse-responses.ts'
import type { Random } from './random.ts'
import { createRawRequests, type RawRequests } from './raw-requests.ts'

/** The result of {@link fuzzRawHttp}. */
export interface RawFuzzResult {
  /** The violations, each with the request bytes. */
  readonly failures: readonly string[]
  /** The number of responses, keyed by status. */
  readonly statuses: ReadonlyMap<number, number>
}

const timeoutMs = 15_000
// After this time without data, the client half-closes the connection.
const idleMs = 150

/**
 * Writes bytes and returns the bytes received until the server closes the connection. Half-closes the connection once every
 * request has a response or no more data arrives.
 */
const exchange = (url: string, { bytes, methods }: RawRequests): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const chunks: Buffer[] = []
    let responses = 0
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const timeout = setTimeout(() => {
      reject(new Error(`The connection is still open after ${timeoutMs} ms.`))
      socket.destroy()
    }, timeoutMs)
    const idle = setTimeout(() => socket.end(), idleMs)
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      responses += chunk.toString('latin1').match(/HTTP\/1\.1 [2-5]/g)?.length ?? 0
      if (responses >= methods.length) socket.end()
      else idle.refresh()
    })
    // A server that rejects a request may reset the connection. The bytes received before that are checked.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timeout)
      clearTimeout(idle)
      resolve(Buffer.concat(chunks))
    })
    socket.write(bytes)
  })

const checkResponse = ({ status, headers, body }: ParsedResponse, isHead: boolean): string | undefined => {
  for (const name of ['x-request-id', 'x-content-type-options', 'content-security-policy'])
    if (!headers.get(name)) return `${name} is missing`
  if (status >= 500) return 'server error'
  // 408 is the response to slow clients and has no body.
  if (status < 400 || status === 408 || isHead) return undefined
  if (!headers.get('content-type')?.startsWith(problemMediaType)) return `content type ${headers.get('content-type')}`
  const problem = Problem.safeParse(JSON.parse(body))
  if (!problem.success) return problem.error.message
  if (problem.data.status !== status) return `the problem has status ${problem.data.status}`
  if (status === 405 && !headers.get('allow')) return 'Allow is missing'
  return problem.data.request_id === headers.get('x-request-id') ? undefined : 'the request id differs from the header'
}

const checkResponses = ({ methods }: RawRequests, bytes: Buffer, onStatus: (status: number) => void): string | undefined => {
  try {
    const isHead = (index: number) => methods[index] === 'HEAD'
    for (const [index, response] of parseResponses(bytes, isHead).entries()) {
      onStatus(response.status)
      const failure = checkResponse(response, isHead(index))
      if (failure) return `response ${index + 1}, ${response.status}: ${failure}`
    }
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/**
 * Sends malformed and unusual requests to a server. Checks that every response is valid HTTP, and that the body of every error
 * response is a problem as defined by RFC 9457.
 */
export const fuzzRawHttp = async (
  server: { readonly url: string },
  key: string,
  random: Random,
  options: { readonly connections: number; readonly concurrency: number },
): Promise<RawFuzzResult> => {
  const nextRequests = createRawRequests(random, key)
  const failures: string[] = []
  const statuses = new Map<number, number>()
  let connections = 0
  const work = async (): Promise<void> => {
    while (connections < options.connections) {
      connections += 1
      const requests = nextRequests()
      const sent = JSON.stringify(requests.bytes.toString('latin1').slice(0, 2_000))
      try {
        const received = await exchange(server.url, requests)
        const failure = checkResponses(requests, received, (status) => statuses.set(status, (statuses.get(status) ?? 0) + 1))
        if (failure) failures.push(`${failure}\n  ${sent}\n  ${received.toString('latin1').slice(0, 1_000)}`)
      } catch (error) {
        failures.push(`${(error as Error).message}\n  ${sent}`)
      }
    }
  }
  await Promise.all(Array.from({ length: options.concurrency }, work))
  return { failures, statuses }
}
