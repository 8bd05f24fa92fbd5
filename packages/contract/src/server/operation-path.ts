/**
 * The path of an operation with its parameters filled in: the one spelling for every path that reaches the operation, whatever
 * the case of its letters, a slash at its end, and its percent-encoding.
 * @param template As a route of the contract has it, with parameters as in `:project_id`.
 * @param params The parameters, decoded.
 */
export const operationPath = (template: string, params: Readonly<Record<string, string | undefined>>): string =>
  template.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
