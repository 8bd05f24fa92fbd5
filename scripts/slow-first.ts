import { BaseSequencer, type TestSpecification } from 'vitest/node'

const slow = /\.long\.ts$|\/(conformance|delivery|mock|network-partition|clock-skew)\.test\.ts$/

const isSlow = ({ moduleId }: TestSpecification): boolean => slow.test(moduleId)

/**
 * Starts the slow test files first, so that all workers are busy until the end. Recognizes slow files by name. Without the
 * durations of an earlier run, Vitest would start the largest files first, and some slow files are small: they run tests that
 * other files define.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => Number(isSlow(b)) - Number(isSlow(a)))
  }
}
