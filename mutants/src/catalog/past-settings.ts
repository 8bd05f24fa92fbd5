import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

/** Server and mock bugs in past versions of flows, in the settings history, and in applying settings. */
export const pastSettingsMutants: readonly Mutant[] = [
  ...inFile('apps/api/src/features/flows/past-flow.ts', [
    {
      name: 'a flow as of the exact time of a change has the settings from before the change',
      find: 'firstUuidOf(new Date(moment.getTime() + 1))',
      replace: 'firstUuidOf(moment)',
      killedBy: /^flows\.get 200: returns the flow as it was/,
    },
  ]),
  ...inFile('packages/contract/src/rules/recorded-settings.ts', [
    {
      name: 'the removal of a secret that is not set is recorded',
      find: '(value === null ? [] : [toJsonPointer',
      replace: '(value === undefined ? [] : [toJsonPointer',
      killedBy: /^settings\.history 200: records nothing/,
    },
  ]),
  ...inFile('packages/contract/src/rules/settings-document.ts', [
    {
      name: 'applying a document that removes a secret that is not set reports a change',
      find: 'value !== null || names.includes(name)',
      replace: 'value !== undefined || names.includes(name)',
      killedBy: /^settings\.apply 200: keeps omitted secrets/,
    },
  ]),
  ...inFile('packages/testing/src/features/past-flows.ts', [
    {
      name: 'in the mock, a flow as of the exact time of a change has the settings from before the change',
      find: '({ changed_at }) => changed_at > at)',
      replace: '({ changed_at }) => changed_at >= at)',
      killedBy: /^flows\.get 200: returns the flow as it was/,
    },
    {
      name: "in the mock, a credential for one project reads another project's past flows",
      find: '  if ((projectId ?? project_id) !== project_id) throw notFound()\n',
      replace: '',
      killedBy: /^flows\.get 404: returns not_found for a past version of another project's/,
    },
  ]),
  ...inFile('packages/testing/src/features/list-history.ts', [
    {
      name: "in the mock, a credential for one project reads another project's history",
      find: '  if (project_id !== undefined && (principal.projectId ?? project_id) !== project_id) throw notFound()\n',
      replace: '',
      killedBy: /^settings\.history 200: lists only changes/,
    },
  ]),
]
