/** One request, as it is repeated. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: string
}

/** What a load generator is to do. */
export interface LoadJob {
  readonly port: number
  /** The value of `Authorization`; none for a baseline that does not look at it. */
  readonly authorization?: string
  readonly connections: number
  /** Sent one after the other over all connections, beginning anew after the last. */
  readonly requests: readonly LoadRequest[]
  /** Where in the requests to begin: what the run before has told as `next`. */
  readonly from?: number
  /** Milliseconds before the count begins. */
  readonly warmUpMs: number
  /** Milliseconds that are counted. */
  readonly measuredMs: number
}

/** What a load generator saw in the counted time. */
export interface LoadResult {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Where in the requests the run ended. */
  readonly next: number
}

/** Requests at a fixed pace, whatever the answers do. */
export interface PacedJob extends Pick<LoadJob, 'port' | 'authorization' | 'connections'> {
  /** `#` digits in its body are replaced by the number of the request, counted from 0, with leading zeros. */
  readonly request: LoadRequest
  readonly count: number
  /** Requests a second. */
  readonly rate: number
}

/** The bytes of a request on a connection that is kept alive. */
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

/** Puts the number of a request in the place of a row of `#`. */
export const numbered = (text: string, number: number): string =>
  text.replace(/#+/g, (digits) => String(number).padStart(digits.length, '0'))
