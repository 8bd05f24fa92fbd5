import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { CliError } from '../cli-error.ts'
import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { findProjectId } from '../notifications/find-settings.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { locateWarnings } from '../settings/config-document.ts'
import { toConfigSource } from '../settings/config-source.ts'
import { configPathToWrite } from '../settings/load-config.ts'
import { printWarnings } from '../settings/print-changes.ts'

/** `flowpost pull`: writes a project's settings to a config file. */
export const definePull: DefineCommand = (command, { io, output, connect }) => {
  addExamples(command, 'flowpost pull --project billing', 'flowpost pull settings/billing.config.ts --project billing --force')
  command.addHelpText(
    'after',
    '\nThe file contains the flows and event endpoints that have a key. It never contains secrets: the API does not return them. `apply` keeps\nsecrets that the file does not list.',
  )
  command
    .argument('[file]', "the file to write (default: the folder's config file, or flowpost.config.ts)")
    .option('-p, --project <project>', 'the project, by id, key or name (default: the only project)')
    .option('--force', 'overwrite the file')
    .action(async (file, options) => {
      const path = configPathToWrite(file, io.workingFolder)
      const createExistsError = () => new CliError(`${path} exists.`, 'Pass --force to overwrite it.')
      if (!options.force && existsSync(path)) throw createExistsError()
      const { flowpost } = await connect()
      const { signal } = io
      const { projectId, exported, secretNames } = await output.withProgress('Reading', async () => {
        const projectId = await findProjectId(flowpost, options.project)
        const exported = await flowpost.settings.export(projectId, { signal })
        const secretNames = new Map<string, string[]>()
        for await (const { source_type, secrets } of flowpost.integrations.list(projectId, { limit: 1000 }, { signal }))
          secretNames.set(source_type, Object.keys(secrets))
        return { projectId, exported, secretNames }
      })
      const { document, digest } = exported
      if (document.project.key === null)
        throw new CliError(
          `The project ${document.project.name} has no project key, and a config file names its project by key.`,
          `Set a key with the SDK's \`flowpost.projects.update\` or PUT /v1/settings/projects/${projectId}.`,
        )
      // `wx` fails if another process has created the file since the check above.
      await writeFile(path, toConfigSource(document, secretNames), { flag: options.force ? 'w' : 'wx' }).catch(
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') throw createExistsError()
          throw new CliError(`${path} cannot be written: ${error.message}`)
        },
      )
      const warnings = locateWarnings(exported.warnings, document)
      printWarnings(output, warnings)
      const count = document.flows.length
      output.print(`Wrote ${toSafeLine(path)} with ${count} ${count === 1 ? 'flow' : 'flows'}.`)
      output.printJson({ path, project_id: projectId, digest, flows: count, warnings })
    })
}
