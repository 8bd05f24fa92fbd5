import { parseArgs } from 'node:util'

/** The options of a run. */
export interface MutantOptions {
  /** Runs only the mutants whose name or file matches. */
  readonly only: RegExp | undefined
  /** Runs only this many mutants, selected by `seed`. */
  readonly sample: number | undefined
  readonly seed: number
  /** The number of mutants that run at the same time. */
  readonly jobs: number
  /** Whether to print why each check failed. */
  readonly verbose: boolean
  /** Whether to print the names of the mutants without running them. */
  readonly list: boolean
  /** Whether to print only the usage. */
  readonly help: boolean
}

/** The usage of the command line. */
export const usage = `pnpm test:mutants [--only <pattern>] [--sample <n> [--seed <n>]] [--jobs <n>] [--verbose] [--list]

  --only    run only the mutants whose name or file matches this regular expression
  --sample  run only this many mutants, selected at random
  --seed    the seed of the selection (default 1)
  --jobs    the number of mutants that run at the same time (default 2)
  --verbose print why each check failed
  --list    print the mutants without running them

  Inserts each small bug of mutants/src/catalog into the server or the mock and runs the conformance suite. Exits with 1
  if the suite misses one of the bugs.`

const wholeNumber = (name: string, text: string, min: number, max: number): number => {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= min && number <= max) return number
  throw new TypeError(`--${name} must be a whole number from ${min} to ${max}.`)
}

const pattern = (text: string): RegExp => {
  try {
    return new RegExp(text, 'i')
  } catch {
    throw new TypeError('--only must be a regular expression.')
  }
}

/**
 * Reads the command line.
 *
 * @throws {TypeError} For an invalid option.
 */
export const readOptions = (args: readonly string[]): MutantOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      sample: { type: 'string' },
      seed: { type: 'string', default: '1' },
      jobs: { type: 'string', default: '2' },
      verbose: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  return {
    only: values.only === undefined ? undefined : pattern(values.only),
    sample: values.sample === undefined ? undefined : wholeNumber('sample', values.sample, 1, 10_000),
    seed: wholeNumber('seed', values.seed, 0, Number.MAX_SAFE_INTEGER),
    jobs: wholeNumber('jobs', values.jobs, 1, 16),
    verbose: values.verbose,
    list: values.list,
    help: values.help,
  }
}
