// Reads the parts of the Dockerfile that `check-image.ts` runs.

/** The steps of the Dockerfile. */
export interface DockerfileSteps {
  /** The shell commands of the build stage. */
  readonly build: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly healthcheck: readonly string[]
  readonly command: readonly string[]
}

/**
 * Parses the text of a Dockerfile with two stages.
 * @throws Error if `CMD` or `HEALTHCHECK` is missing or not in JSON form.
 */
export const dockerfileSteps = (text: string): DockerfileSteps => {
  const commands = text.replace(/^#.*\n/gm, '').replace(/\\\n\s*/g, '')
  const [, buildStage = [], runStage = []] = commands.split(/^FROM .*$/m).map((stage) => stage.split('\n'))
  const argumentsOf = (stage: readonly string[], instruction: string) =>
    stage.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1))
  const jsonOf = (instruction: string): string[] => {
    const json = argumentsOf(runStage, instruction)[0]?.match(/\[.*\]$/)?.[0]
    if (json === undefined) throw new Error(`The Dockerfile has no ${instruction} in JSON form.`)
    return JSON.parse(json) as string[]
  }
  const pairs = argumentsOf(runStage, 'ENV').flatMap((values) => values.split(' ').map((pair) => pair.split('=') as [string, string]))
  return {
    build: argumentsOf(buildStage, 'RUN'),
    env: Object.fromEntries(pairs),
    healthcheck: jsonOf('HEALTHCHECK'),
    command: jsonOf('CMD'),
  }
}

/**
 * Parses the text of a `.dockerignore`. The returned function tests whether a path is excluded. Supports names, folders,
 * `*` and a leading `**`.
 */
export const isIgnored = (text: string): ((path: string) => boolean) => {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const patterns = lines.map((line) => {
    const pattern = line.replace('**/', '').replaceAll('.', '\\.').replaceAll('*', '[^/]*')
    return line.startsWith('**/') ? `(?:.*/)?${pattern}` : pattern
  })
  const ignored = new RegExp(`^(?:${patterns.join('|')})(?:/|$)`)
  return (path) => ignored.test(path)
}
