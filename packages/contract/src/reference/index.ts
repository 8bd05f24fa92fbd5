// Reads an OpenAPI document for the two API references: the server's at `/docs`, and the documentation site's.
export {
  type ApiDescription,
  anchorOf,
  bodyOf,
  describeApi,
  type Operation,
  operationsOf,
  operationsWith,
  type Parameter,
  problemsOf,
  type Schema,
  type Success,
  successesOf,
  tagSlug,
} from './api-description.ts'
export { type Constraints, constraintsOf, type Field, fieldsOf, typeText } from './fields.ts'
export { curlSample, exampleOf, parseSdkExamples } from './samples.ts'
