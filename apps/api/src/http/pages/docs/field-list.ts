import {
  type ApiDescription,
  constraintsOf,
  type Field,
  fieldsOf,
  type Parameter,
  type Schema,
  typeText,
} from '@flowpost/contract/reference'
import { type Html, html } from '../../../shared/html.ts'
import { renderInline } from './markdown.ts'

interface Row {
  readonly name: string
  /** The path of the object that contains the field, such as `deliveries[].`. */
  readonly parent: string
  readonly depth: number
  readonly required: boolean
  /** Whether to show the field's regular expression. A client that only reads responses does not need it. */
  readonly showPattern: boolean
  readonly condition?: string | undefined
  readonly description: string
  readonly schema: Schema
}

const codeList = (values: readonly string[]): Html[] => values.map((value, index) => html`${index > 0 && ', '}<code>${value}</code>`)

const renderConstraints = (api: ApiDescription, root: string, { schema, showPattern, condition }: Row): Html | false => {
  const { values, valuesLabel, limits, pattern, fallback } = constraintsOf(api, schema)
  const parts = [
    condition !== undefined && html`<span>${renderInline(condition, root)}</span>`,
    values.length > 0 && html`<span>${valuesLabel} ${codeList(values)}</span>`,
    ...limits.map((limit) => html`<span>${limit}</span>`),
    showPattern && pattern !== undefined && html`<span>matches <code>${pattern}</code></span>`,
    fallback !== undefined && html`<span>default <code>${fallback}</code></span>`,
  ].filter((part) => part !== false)
  return parts.length > 0 && html`<p class="constraints">${parts}</p>`
}

const renderRow = (api: ApiDescription, root: string, row: Row): Html => {
  const { name, parent, depth, required, description, schema } = row
  return html`<div class="field depth-${depth}"><dt><code>${parent !== '' && html`<span class="parent">${parent}<wbr></span>`}${name}</code> <span class="type">${typeText(api, schema)}</span>${
    required && html` <span class="required">required</span>`
  }</dt><dd>${description !== '' && html`<p>${renderInline(description, root)}</p>`}${renderConstraints(api, root, row)}</dd></div>`
}

const toRow = (api: ApiDescription, direction: 'request' | 'response', { path, depth, required, condition, schema }: Field): Row => {
  const start = path.lastIndexOf('.') + 1
  return {
    name: path.slice(start),
    parent: path.slice(0, start),
    depth,
    required: direction === 'request' && required,
    showPattern: direction === 'request',
    condition,
    description: api.resolve(schema).description ?? '',
    schema,
  }
}

/** Renders the fields of a body. Marks the required fields of a request. */
export const renderFields = (api: ApiDescription, root: string, schema: Schema, direction: 'request' | 'response'): Html =>
  html`<dl class="fields">${fieldsOf(api, schema).map((field) => renderRow(api, root, toRow(api, direction, field)))}</dl>`

/** Renders an operation's parameters. */
export const renderParameters = (api: ApiDescription, root: string, parameters: readonly Parameter[]): Html =>
  html`<dl class="fields">${parameters.map(({ name, required, schema, ...parameter }) => {
    const description = parameter.description ?? api.resolve(schema).description ?? ''
    const row = { name, parent: '', depth: 0, required, showPattern: true, description, schema: { ...schema, description } }
    return renderRow(api, root, row)
  })}</dl>`
