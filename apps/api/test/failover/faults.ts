import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { Node } from './node.ts'

/** A fault in the cluster, and its repair. */
export interface Fault {
  readonly name: string
  /** Causes the fault. Resolves when another node is the primary, or at once if the primary stays. */
  cause(cluster: Cluster, primary: Node): Promise<void>
  /** Repairs the node. */
  repair?(node: Node): void
  /** The node that the fault affects. @default the primary */
  readonly affects?: 'standby'
}

/** Picks the node that a fault affects. */
export const affectedNode = async (fault: Fault, cluster: Cluster, primary: Node): Promise<Node> => {
  if (fault.affects === undefined) return primary
  const [standby] = await cluster.standbys()
  if (!standby) throw new Error('The cluster has no standby.')
  return standby
}

const promoted = (cluster: Cluster, old: Node): Promise<void> => cluster.waitForPrimary(old).then(() => {})

/** The faults that a run causes. */
export const faults: readonly Fault[] = [
  {
    name: 'crash of the primary',
    cause: async (cluster, primary) => {
      await primary.crash()
      await promoted(cluster, primary)
    },
    repair: (node) => node.start(),
  },
  {
    name: 'suspension of the primary',
    cause: async (cluster, primary) => {
      primary.freeze()
      await promoted(cluster, primary)
    },
    repair: (node) => node.thaw(),
  },
  {
    name: 'switchover',
    cause: async (cluster, primary) => {
      const [standby] = await cluster.standbys()
      await cluster.control('switchover', 'flowpost', '--leader', primary.name, '--candidate', standby?.name ?? '', '--force')
      await promoted(cluster, primary)
    },
  },
  {
    name: 'crash of PostgreSQL on the primary',
    cause: async (cluster, primary) => {
      primary.crashPostgres()
      await promoted(cluster, primary)
    },
  },
  {
    name: 'shutdown of the primary',
    cause: async (cluster, primary) => {
      await primary.shutDown()
      await promoted(cluster, primary)
    },
    repair: (node) => node.start(),
  },
  { name: 'crash of the synchronous standby', affects: 'standby', cause: async (_, node) => node.crash(), repair: (node) => node.start() },
  {
    name: 'suspension of the synchronous standby',
    affects: 'standby',
    cause: async (_, node) => {
      node.freeze()
      await sleep(20_000)
    },
    repair: (node) => node.thaw(),
  },
]
