/** Measures one side of a comparison, such as the baseline, once. */
export type Measure<Value = number> = () => Promise<Value>

/**
 * Measures all sides one after the other in each round, so that other work on the machine affects every side. The order
 * is reversed in every second round. The first round is a warm-up and is not counted.
 * @returns the measurements of each side, by round.
 */
export const interleave = async <Side extends string, Value = number>(
  rounds: number,
  sides: Readonly<Record<Side, Measure<Value>>>,
  onRound: (round: number, measured: Readonly<Record<NoInfer<Side>, NoInfer<Value>>>) => void = () => {},
): Promise<Record<Side, Value[]>> => {
  const names = Object.keys(sides) as Side[]
  const measured = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Side, Value[]>
  for (let round = 0; round <= rounds; round += 1) {
    const values: Partial<Record<Side, Value>> = {}
    for (const name of round % 2 === 0 ? names : names.toReversed()) values[name] = await sides[name]()
    if (round > 0) for (const name of names) measured[name].push(values[name] as Value)
    onRound(round, values as Record<Side, Value>)
  }
  return measured
}
