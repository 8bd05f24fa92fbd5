import fc from 'fast-check'
import type { Step } from './sequence.ts'

/** Steps whose differences only show together. */
export type Story = fc.Arbitrary<readonly Step[]>

/** Concatenates steps and stories. A part that is drawn as `undefined` is left out. */
export const inOrder = (...parts: fc.Arbitrary<Step | readonly Step[] | undefined>[]): Story =>
  fc.tuple(...parts).map((drawn) => drawn.flatMap((part) => part ?? []))

/** The index of the newest resource. */
export const newest = fc.constant(-1)
