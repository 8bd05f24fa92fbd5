// Reads an OpenAPI document for people: the reference of the server at `/docs`, and that of the documentation site.
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
