/** Measures one side of a comparison once. */
export type Measure = () => Promise<number>

/**
 * Measures all sides in turn, again and again: what else the machine does at a time weighs on each of them. Every
 * other round goes backwards, so that none is always the one that finds the machine warm, and one round before the
 * first is not counted, in which everything is compiled and connected.
 * @returns the measurements of each side, by round.
 */
export const interleave = async <Side extends string>(
  rounds: number,
  sides: Readonly<Record<Side, Measure>>,
  onRound: (round: number, measured: Readonly<Record<NoInfer<Side>, number>>) => void = () => {},
): Promise<Record<Side, number[]>> => {
  const names = Object.keys(sides) as Side[]
  const measured = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Side, number[]>
  for (let round = 0; round <= rounds; round += 1) {
    const values: Partial<Record<Side, number>> = {}
    for (const name of round % 2 === 0 ? names : names.toReversed()) values[name] = await sides[name]()
    if (round > 0) for (const name of names) measured[name].push(values[name] as number)
    onRound(round, values as Record<Side, number>)
  }
  return measured
}
