import type { Page } from '../page.ts'
import { readRepositoryFile, repositoryUrl } from '../repository.ts'
import { joinParts, table } from './markdown.ts'

interface Manifest {
  readonly name: string
  readonly version: string
}

const readManifest = (folder: string): Manifest => JSON.parse(readRepositoryFile(`packages/${folder}/package.json`)) as Manifest

/** The folders of the published packages. */
const packages = ['server', 'client', 'testing', 'cli', 'delivery']

/** Returns the label of the documented version: the server's version, or `next` before its first release. */
export const versionLabel = (): string => {
  const { version } = readManifest('server')
  return version === '0.0.0' ? 'next' : `v${version}`
}

/** Generates the page that names the documented versions and links to the documentation of older releases. */
export const createVersionsPage = (): Page => {
  const title = 'Versions of this documentation'
  const rows = packages.map(readManifest).map(({ name, version }) => [`\`${name}\``, version === '0.0.0' ? 'not released' : version])
  return {
    url: '/project/versions',
    title,
    markdown: joinParts([
      `# ${title}`,
      'This site describes the branch `main`, which contains these versions and all changes since their release:',
      table(['Package', 'Version'], rows),
      '## Older versions',
      `Each release has a tag, such as \`@flowpost/server@1.0.0\`, and its documentation is part of the repository. To read it, open [the tags](${repositoryUrl}/tags), select one, and open the folder \`docs\`. [The releases](${repositoryUrl}/releases) say what changed.`,
      'To get the whole site of a release, with its references and its search, build it from the tag:',
      '```sh\ngit checkout @flowpost/server@1.0.0\nnpx pnpm docs:build    # writes site/dist\n```',
      'A running server describes its own version: its start page names the version and links to the API reference and the OpenAPI document.',
    ]),
  }
}
