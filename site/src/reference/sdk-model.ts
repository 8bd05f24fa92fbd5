import { Application, type DeclarationReflection, OptionDefaults, type ProjectReflection, ReflectionKind } from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'
import { repositoryRoot } from '../repository.ts'

/** A module of a published package, and the page that describes it. */
export interface SdkModule {
  /** The source file in `packages`. */
  readonly file: string
  /** The last part of the page's address. */
  readonly page: string
  readonly title: string
  readonly introduction: string
}

/** The modules that have a page. A declaration appears on the page of the first module that exports it. */
export const sdkModules: readonly SdkModule[] = [
  {
    file: 'client/src/generated/operations.ts',
    page: 'client-operations',
    title: '@flowpost/client: methods',
    introduction:
      'The methods of a client, by group. For example, `ProjectsOperations` is the type of `flowpost.projects`. `@flowpost/client` exports these types.',
  },
  {
    file: 'client/src/generated/types.ts',
    page: 'client-types',
    title: '@flowpost/client: types of the API',
    introduction: 'The types of requests, responses and events. `@flowpost/client` exports them.',
  },
  {
    file: 'client/src/index.ts',
    page: 'client',
    title: '@flowpost/client: exports',
    introduction:
      'The exports of `@flowpost/client` that are not [methods](./client-operations) or [types of the API](./client-types). [TypeScript SDK](/reference/sdk) explains how to use the package.',
  },
  {
    file: 'client/src/events.ts',
    page: 'client-events',
    title: '@flowpost/client/events',
    introduction: 'The exports of `@flowpost/client/events`, which verifies events. [Events](/guides/events) explains how to receive them.',
  },
  {
    file: 'testing/src/index.ts',
    page: 'testing',
    title: '@flowpost/testing: exports',
    introduction: 'The exports of `@flowpost/testing`. [Mock server and test tools](/reference/testing) explains how to use the package.',
  },
  {
    file: 'testing/src/matchers.ts',
    page: 'testing-matchers',
    title: '@flowpost/testing/matchers',
    introduction:
      'The exports of `@flowpost/testing/matchers`. `@flowpost/testing/vitest` and `@flowpost/testing/jest` export nothing: they add the matchers to the test framework.',
  },
  {
    file: 'testing/src/msw.ts',
    page: 'testing-msw',
    title: '@flowpost/testing/msw',
    introduction: 'The exports of `@flowpost/testing/msw`, which connects the mock to Mock Service Worker.',
  },
  {
    file: 'testing/src/server.ts',
    page: 'testing-server',
    title: '@flowpost/testing/server',
    introduction: 'The exports of `@flowpost/testing/server`, which serves the mock on a port.',
  },
  {
    file: 'testing/src/conformance/index.ts',
    page: 'testing-conformance',
    title: '@flowpost/testing/conformance',
    introduction: 'The exports of `@flowpost/testing/conformance`, the scenarios that check the mock and the server.',
  },
  {
    file: 'testing/src/conformance/model/index.ts',
    page: 'testing-conformance-model',
    title: '@flowpost/testing/conformance/model',
    introduction: 'The exports of `@flowpost/testing/conformance/model`, which compares a server with a model of it.',
  },
  {
    file: 'delivery/src/index.ts',
    page: 'delivery',
    title: '@flowpost/delivery: exports',
    introduction: 'The exports of `@flowpost/delivery`. [Delivery providers](/reference/delivery) explains how to write a provider.',
  },
  {
    file: 'delivery/src/conformance.ts',
    page: 'delivery-conformance',
    title: '@flowpost/delivery/conformance',
    introduction: 'The exports of `@flowpost/delivery/conformance`, which checks your own provider.',
  },
  {
    file: 'cli/src/index.ts',
    page: 'cli',
    title: '@flowpost/cli: exports',
    introduction: 'The exports of `@flowpost/cli`, for config files. [Command line](/reference/cli) explains its commands.',
  },
]

const markdownOptions: Partial<PluginOptions> = {
  outputFileStrategy: 'modules',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  hidePageTitle: true,
  useCodeBlocks: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  enumMembersFormat: 'table',
  tableColumnSettings: { hideSources: true, hideInherited: true, hideOverrides: true },
}

/** Reads the doc comments and types of the modules. TypeDoc uses its own compiler, because TypeScript 7 has no API yet. */
export const readSdkModel = async (): Promise<{ readonly app: Application; readonly project: ProjectReflection }> => {
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: sdkModules.map(({ file }) => `${repositoryRoot}packages/${file}`),
    basePath: `${repositoryRoot}packages`,
    tsconfig: `${repositoryRoot}tsconfig.base.json`,
    compilerOptions: { incremental: false, lib: ['es2024', 'esnext.disposable', 'dom'] },
    // `pnpm typecheck` reports type errors.
    skipErrorChecking: true,
    blockTags: [...OptionDefaults.blockTags, '@default'],
    disableSources: true,
    excludePrivate: true,
    excludeExternals: true,
    readme: 'none',
    logLevel: 'Error',
    ...markdownOptions,
  })
  const project = await app.convert()
  if (!project) throw new Error('TypeDoc cannot read the packages.')
  return { app, project }
}

const hasComment = (declaration: DeclarationReflection): boolean =>
  declaration.hasComment() || (declaration.signatures ?? []).some((signature) => signature.hasComment())

/** Returns the exports that have no doc comment, as `<module>: <name>`. */
export const undocumentedExports = (project: ProjectReflection): string[] =>
  (project.children ?? []).flatMap((module) =>
    (module.children ?? [])
      .filter((child) => child.kind !== ReflectionKind.Reference && !hasComment(child))
      .map((child) => `${module.name}: ${child.name}`),
  )
