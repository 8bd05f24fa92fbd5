import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

type Message = ReadonlyMap<number, readonly (Buffer | bigint)[]>

/** A span that was received over OTLP. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  /** Empty for the root of a trace. */
  readonly parentId: string
  readonly name: string
  /** The kind of the span: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number
  readonly startNs: bigint
  readonly endNs: bigint
  readonly attributes: Readonly<Record<string, string | number>>
  readonly isError: boolean
  /** The resource attributes, which describe the process. */
  readonly resource: Readonly<Record<string, string | number>>
}

/** A trace collector, which decodes OTLP over HTTP with protobuf. */
export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  /** The bodies of the requests, as Latin-1 text. */
  readonly bodies: readonly string[]
  readonly headers: readonly IncomingHttpHeaders[]
}

/** Starts a receiver, on a free port by default. If `responds` is `false`, it never responds. */
export const startOtlpReceiver = async ({ responds = true, port = 0 } = {}): Promise<OtlpReceiver> => {
  const spans: ReceivedSpan[] = []
  const bodies: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    headers.push(request.headers)
    bodies.push(body.toString('latin1'))
    if (!responds) return
    const isTraces = request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf'
    if (isTraces) spans.push(...decodeSpans(body))
    response.writeHead(isTraces ? 200 : 404, { 'Content-Type': 'application/x-protobuf' }).end()
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    headers,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Decodes the fields of a protobuf message: varints and fixed numbers as integers, everything else as bytes. */
const decode = (bytes: Buffer): Message => {
  const fields = new Map<number, (Buffer | bigint)[]>()
  let position = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(position)
      position += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number): Buffer => {
    position += length
    return bytes.subarray(position - length, position)
  }
  const readers: Readonly<Record<number, () => Buffer | bigint>> = {
    0: varint,
    1: () => take(8).readBigUInt64LE(),
    2: () => take(Number(varint())),
    5: () => BigInt(take(4).readUInt32LE()),
  }
  while (position < bytes.length) {
    const tag = Number(varint())
    const value = readers[tag & 7]?.()
    if (value === undefined) throw new Error(`Wire type ${tag & 7} is not supported.`)
    const values = fields.get(tag >> 3) ?? []
    fields.set(tag >> 3, [...values, value])
  }
  return fields
}

const messages = (message: Message, field: number): Message[] => (message.get(field) ?? []).map((value) => decode(value as Buffer))
const text = (message: Message, field: number): string => String(message.get(field)?.[0] ?? '')
const hex = (message: Message, field: number): string =>
  ((message.get(field)?.[0] as Buffer | undefined) ?? Buffer.alloc(0)).toString('hex')
const integer = (message: Message, field: number): bigint => (message.get(field)?.[0] as bigint | undefined) ?? 0n

const attributesOf = (message: Message | undefined, field: number): Record<string, string | number> =>
  Object.fromEntries(
    (message ? messages(message, field) : []).map((pair) => {
      const [value = new Map()] = messages(pair, 2)
      return [text(pair, 1), value.has(1) ? text(value, 1) : Number(integer(value, 3))]
    }),
  )

/** Decodes an `ExportTraceServiceRequest`. The OTLP specification defines the field numbers. */
const decodeSpans = (body: Buffer): ReceivedSpan[] =>
  messages(decode(body), 1).flatMap((resourceSpans) => {
    const resource = attributesOf(messages(resourceSpans, 1)[0], 1)
    const spans = messages(resourceSpans, 2).flatMap((scopeSpans) => messages(scopeSpans, 2))
    return spans.map((span) => ({
      traceId: hex(span, 1),
      spanId: hex(span, 2),
      parentId: hex(span, 4),
      name: text(span, 5),
      kind: Number(integer(span, 6)),
      startNs: integer(span, 7),
      endNs: integer(span, 8),
      attributes: attributesOf(span, 9),
      isError: messages(span, 15).some((status) => integer(status, 3) === 2n),
      resource,
    }))
  })
