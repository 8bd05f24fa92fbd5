/** A request that a job repeats. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: string
}

/** The arguments of `saturate`. */
export interface LoadJob {
  readonly port: number
  /** The value of the header `Authorization`. `undefined` sends no such header. */
  readonly authorization?: string
  readonly connections: number
  /** The requests, in order. Each is sent on the next free connection. After the last request, the first is sent again. */
  readonly requests: readonly LoadRequest[]
  /** The index of the first request to send. To continue a previous run, pass its `next`. @default 0 */
  readonly from?: number
  /** The duration, in milliseconds, of the load before the measurement. */
  readonly warmUpMs: number
  /** The duration of the measurement, in milliseconds. */
  readonly measuredMs: number
}

/** The result of `saturate`. */
export interface LoadResult {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** The index of the next request to send. The requests repeat, so the index may exceed their number. */
  readonly next: number
}

/** The arguments of `pace`: requests at a fixed rate, independent of response times. */
export interface PacedJob extends Pick<LoadJob, 'port' | 'authorization' | 'connections'> {
  /**
   * The request to repeat. Each sequence of `#` in its body is replaced with the number of the request, starting at 0,
   * padded with zeros.
   */
  readonly request: LoadRequest
  readonly count: number
  /** The number of requests per second. */
  readonly rate: number
}

/** Returns the bytes of a request on a keep-alive connection. */
export const requestBytes = ({ method, path, body }: LoadRequest, authorization: string | undefined): Buffer =>
  Buffer.from(
    [
      `${method} ${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
      ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
      '',
      body ?? '',
    ].join('\r\n'),
  )

/** Replaces each sequence of `#` with a number, padded with zeros. */
export const numbered = (text: string, number: number): string =>
  text.replace(/#+/g, (digits) => String(number).padStart(digits.length, '0'))
