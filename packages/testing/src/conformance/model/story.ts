import fc from 'fast-check'
import type { Step } from './sequence.ts'

/** A fast-check arbitrary for short sequences of related steps. They find differences that unrelated steps rarely find. */
export type Story = fc.Arbitrary<readonly Step[]>

/** Concatenates steps and stories. Omits parts whose generated value is `undefined`. */
export const inOrder = (...parts: fc.Arbitrary<Step | readonly Step[] | undefined>[]): Story =>
  fc.tuple(...parts).map((drawn) => drawn.flatMap((part) => part ?? []))

/** The number that selects the newest resource or API key in a {@link Step}. */
export const newest = fc.constant(-1)
