import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createResponseReader } from './response-reader.ts'

const response = (status: number, body: string) =>
  `HTTP/1.1 ${status} X\r\nDate: now\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

const read = (chunks: readonly Buffer[]): number[] => {
  const statuses: number[] = []
  const take = createResponseReader((status) => statuses.push(status))
  for (const chunk of chunks) take(chunk)
  return statuses
}

const cut = (bytes: Buffer, at: readonly number[]): Buffer[] => {
  const edges = [0, ...at.map((edge) => edge % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge))
}

describe('a response reader', () => {
  it('reports each response once, however the network splits them', () => {
    const texts = [response(200, '{"name":"Zoë"}'), response(202, ''), 'HTTP/1.1 204 No Content\r\n\r\n', response(503, 'x\r\n\r\ny')]
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 20 }), (edges) => {
        expect(read(cut(Buffer.from(texts.join('')), edges))).toEqual([200, 202, 204, 503])
      }),
    )
  })

  it('does not report a response before its last byte', () => {
    const bytes = Buffer.from(response(200, 'body'))
    expect(read([bytes.subarray(0, -1)])).toEqual([])
    expect(read([bytes.subarray(0, -1), bytes.subarray(-1)])).toEqual([200])
  })

  it('finds the length in any letter case', () => {
    expect(read([Buffer.from('HTTP/1.1 200 OK\r\ncontent-length:2\r\n\r\nok')])).toEqual([200])
  })

  it('rejects a response without a known length', () => {
    expect(() => read([Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')])).toThrow(/no Content-Length/)
  })

  it('rejects data that is not HTTP', () => {
    expect(() => read([Buffer.from('220 mail.example.com\r\n\r\n')])).toThrow(/Not an HTTP/)
  })
})
