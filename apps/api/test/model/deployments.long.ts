import { describeDeployments } from './describe-deployments.ts'

describeDeployments({ runs: 3, seed: 6 })
