import { BaseSequencer, type TestSpecification } from 'vitest/node'

const slow = /\.long\.ts$|\/(conformance|mock|network-partition|clock-skew)\.test\.ts$/

const isSlow = ({ moduleId }: TestSpecification): number => (slow.test(moduleId) ? 1 : 0)

/**
 * Starts the slowest files of each project first, so that all workers are busy until the end. Before the first run, Vitest starts
 * the largest files first, but some of the slowest are small, because they run tests that other files define.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap((project) => {
      const specifications = sorted.filter((specification) => specification.project === project)
      return specifications.toSorted((a, b) => isSlow(b) - isSlow(a))
    })
  }
}
