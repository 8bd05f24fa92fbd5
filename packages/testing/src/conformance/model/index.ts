export { drawSteps } from './arbitrary-steps.ts'
export { compareTargets, ModelDifference } from './compare.ts'
export type { Json, ModelTarget, Step, TagChoice } from './sequence.ts'
