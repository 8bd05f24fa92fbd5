import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SeededProjects, seedProjects } from '../database/seed-projects.ts'
import { type FlowpostServer, startFlowpost } from '../processes/flowpost-server.ts'
import type { Context } from './context.ts'

/** A server on the embedded database, with API and worker in one process, and the projects that it contains. */
export interface EmbeddedServer {
  readonly server: FlowpostServer
  readonly projects: SeededProjects
}

/**
 * Starts a server on a new embedded database. At the end of the group of measurements, the server is stopped and the
 * database is deleted.
 */
export const startEmbeddedServer = async (
  { options, defer }: Context,
  environment: Readonly<Record<string, string>>,
): Promise<EmbeddedServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'flowpost-bench-'))
  defer(() => rm(folder, { recursive: true }))
  const server = await startFlowpost({ ...environment, FLOWPOST_DATA_DIR: folder }, options.profileDir)
  defer(server.stop)
  return { server, projects: await seedProjects(server.port) }
}
