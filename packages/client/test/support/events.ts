import type { EventStream, FlowpostEvent } from '../../src/index.ts'
import { type Behavior, json } from './hostile-server.ts'

const event = (number: number): FlowpostEvent =>
  ({ id: `evt_${number}`, type: 'delivery.sent', created_at: '2026-11-23T08:00:00.000Z', data: {} }) as FlowpostEvent

/** Responds with a page of the feed. */
export const page = (cursor: string, ...numbers: number[]): Behavior => json(200, { data: numbers.map(event), cursor })

/** Collects `count` events, each with the cursor after it. */
export const collect = async (stream: EventStream, count: number): Promise<(string | undefined)[][]> => {
  const found: (string | undefined)[][] = []
  for await (const { id } of stream) if (found.push([id, stream.cursor]) === count) break
  return found
}
